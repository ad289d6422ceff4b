import type { Class, Exploration } from '@chancery/contract'
import { SegmentedControl, Title } from '@mantine/core'
import { useState } from 'react'
import { InlineCode } from '../ui/inline-code.tsx'
import sectionClasses from '../ui/section.module.css'
import classes from './explore.module.css'
import { fieldLabel, TimesContext, ValueInWords, withoutNull } from './value-in-words.tsx'

/** Words for players, or the JSON of the API for developers. */
type Format = 'words' | 'json'

/** In the order of their clearance. */
const viewers = [
  { key: 'anonymous', label: 'Anyone, without a key' },
  { key: 'stranger', label: 'Another player’s key' },
  { key: 'self', label: 'You' },
] as const

const classLabels: Record<Class, string> = {
  public: 'Public',
  player_private: 'Private to the player',
  alliance_private: 'Private to the alliance',
  admin_only: 'Administrators only',
}

/** Each field, its class, and its value for each viewer. Roles are explicit as in RecordTable. */
export function FieldTable({ of: exploration }: { of: Exploration }) {
  const name = nameOf(exploration)
  const [format, setFormat] = useState<Format>('words')
  return (
    <section aria-labelledby="explored">
      <div className={sectionClasses.head}>
        <Title order={2} id="explored" className={classes.title}>
          {name}
        </Title>
        <SegmentedControl<Format>
          aria-label="Format"
          size="xs"
          value={format}
          onChange={setFormat}
          data={[
            { value: 'words', label: 'Words' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      <TimesContext value={exploration.times}>
        <div className={classes.frame}>
          {/* biome-ignore-start lint/a11y/noRedundantRoles: browsers drop implicit roles where a table is not laid out as one */}
          <table className={classes.table} role="table" aria-labelledby="explored">
            <thead role="rowgroup">
              <tr role="row">
                <th role="columnheader" scope="col">
                  Field
                </th>
                {viewers.map(({ key, label }) => (
                  <th key={key} role="columnheader" scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {fieldRows(exploration).map(row => (
                <FieldTableRow key={row.field.name} row={row} format={format} />
              ))}
            </tbody>
          </table>
          {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
        </div>
      </TimesContext>
    </section>
  )
}

function FieldTableRow({ row: { field, cells, isSame }, format }: { row: FieldRow; format: Format }) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <tr role="row" data-class={field.class}>
      <th role="rowheader" scope="row">
        {format === 'json' ? <code>{field.name}</code> : <strong>{fieldLabel(field.name)}</strong>}
        <span className={classes.class} data-class={field.class}>
          {classLabels[field.class]}
          {field.scope && `, ${field.scope}`}
        </span>
        <span className={classes.description}>
          <InlineCode text={format === 'json' ? field.description : withoutNull(field.description)} />
        </span>
      </th>
      {isSame ? (
        <td role="cell" colSpan={viewers.length} data-label={sameLabel(cells.self)}>
          <span className={classes.sameLabel}>{sameLabel(cells.self)}</span>
          <FieldValue path={field.name} cell={cells.self} format={format} />
        </td>
      ) : (
        viewers.map(({ key, label }) => (
          <td key={key} role="cell" data-label={label}>
            <FieldValue path={field.name} cell={cells[key]} format={format} />
          </td>
        ))
      )}
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  )
}

/** A value withheld from these three viewers may be readable to others. */
const sameLabel = (cell: FieldCell) => (cell.isShown ? 'Everyone' : 'All three')

function FieldValue({ path, cell, format }: { path: string; cell: FieldCell; format: Format }) {
  if (!cell.isShown) return <span className={classes.withheld}>Withheld</span>
  const { value } = cell
  if (format === 'words') return <ValueInWords path={path} value={value} />
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return <pre className={classes.json}>{JSON.stringify(value, null, 2)}</pre>
  return <code className={classes.value}>{JSON.stringify(value)}</code>
}

export function nameOf({ views, resource, id }: Exploration): string {
  const view: { nation_name?: unknown; name?: unknown } = views.anonymous
  const name = view.nation_name ?? view.name
  return typeof name === 'string' ? name : `${resource} ${id}`
}

/** The value for a viewer, or that it is withheld. */
type FieldCell = { isShown: true; value: unknown } | { isShown: false }

interface FieldRow {
  field: Exploration['fields'][number]
  cells: Record<(typeof viewers)[number]['key'], FieldCell>
  /** Whether all viewers read the same. */
  isSame: boolean
}

/** Fields that are withheld from some viewers come first. */
function fieldRows({ fields, views }: Exploration): FieldRow[] {
  // A field whose members have classes of their own is listed by member.
  const listed = fields.filter(({ name }) => !fields.some(other => other.name.startsWith(`${name}.`)))
  const rows = listed.map(field => {
    const cells = {
      anonymous: cellOf(views.anonymous, field.name),
      stranger: cellOf(views.stranger, field.name),
      self: cellOf(views.self, field.name),
    }
    const distinct = new Set(Object.values(cells).map(cell => JSON.stringify(cell)))
    return { field, cells, isSame: distinct.size === 1 }
  })
  const isPublic = (row: FieldRow) => row.field.class === 'public'
  return [...rows.filter(row => !isPublic(row)), ...rows.filter(isPublic)]
}

const cellOf = (view: object, name: string): FieldCell => {
  // Game-specific fields are nested, such as `attributes.name`.
  const value = name.split('.').reduce<unknown>(memberOf, view)
  return value === undefined ? { isShown: false } : { isShown: true, value }
}

const memberOf = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null
    ? new Map<string, unknown>(Object.entries(from)).get(name)
    : undefined
