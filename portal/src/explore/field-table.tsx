import type { Exploration } from '@chancery/contract'
import { Title } from '@mantine/core'
import { Description } from './description.tsx'
import classes from './explore.module.css'
import { FieldValue } from './field-value.tsx'
import { classLabels, type FieldCell, type FieldRow, fieldRows, viewers } from './views.ts'

/** Each field, its class, and what three viewers read there. Roles are written out as in RecordTable. */
export function FieldTable({ of: exploration }: { of: Exploration }) {
  const name = nameOf(exploration)
  return (
    <section aria-labelledby="explored">
      <Title order={2} id="explored" className={classes.title}>
        {name}
      </Title>
      <div className={classes.frame}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: browsers forget them where a table is not laid out as one */}
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
              <FieldTableRow key={row.field.name} row={row} />
            ))}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
      </div>
    </section>
  )
}

function FieldTableRow({ row: { field, cells, isSame } }: { row: FieldRow }) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <tr role="row" data-class={field.class}>
      <th role="rowheader" scope="row">
        <code>{field.name}</code>
        <span className={classes.class} data-class={field.class}>
          {classLabels[field.class]}
          {field.scope && `, ${field.scope}`}
        </span>
        <span className={classes.description}>
          <Description text={field.description} />
        </span>
      </th>
      {isSame ? (
        <td role="cell" colSpan={viewers.length} data-label={sameLabel(cells.self)}>
          <span className={classes.everybody}>{sameLabel(cells.self)}</span>
          <FieldValue cell={cells.self} />
        </td>
      ) : (
        viewers.map(({ key, label }) => (
          <td key={key} role="cell" data-label={label}>
            <FieldValue cell={cells[key]} />
          </td>
        ))
      )}
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  )
}

/** Others than these three may read what is withheld from them. */
const sameLabel = (cell: FieldCell) => (cell.isShown ? 'Everybody' : 'All three')

function nameOf({ views, resource, id }: Exploration): string {
  const view: { nation_name?: unknown; name?: unknown } = views.anonymous
  const name = view.nation_name ?? view.name
  return typeof name === 'string' ? name : `${resource} ${id}`
}
