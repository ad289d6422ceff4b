import type { Class, Exploration } from '@chancery/contract'

/** In the order of their clearance. */
export const viewers = [
  { key: 'anonymous', label: 'Anonymous' },
  { key: 'stranger', label: 'A stranger with a key' },
  { key: 'self', label: 'You' },
] as const

export const classLabels: Record<Class, string> = {
  public: 'Public',
  player_private: 'Private to the player',
  alliance_private: 'Private to the alliance',
  admin_only: 'Administrators only',
}

/** A cell: what a viewer reads there, or that it is withheld. */
export type FieldCell = { isShown: true; value: unknown } | { isShown: false }

export interface FieldRow {
  field: Exploration['fields'][number]
  cells: Record<(typeof viewers)[number]['key'], FieldCell>
  /** Whether all viewers read the same. */
  isSame: boolean
}

const cellOf = (view: object, name: string): FieldCell => {
  // Fields of a game's own stand one level down, as `attributes.name`.
  const value = name.split('.').reduce<unknown>(memberOf, view)
  return value === undefined ? { isShown: false } : { isShown: true, value }
}

const memberOf = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null
    ? new Map<string, unknown>(Object.entries(from)).get(name)
    : undefined

/** What is withheld from somebody comes first: it is what one looks for here. */
export function fieldRows({ fields, views }: Exploration): FieldRow[] {
  // What has parts with classes of their own is told by its parts: as a whole it would seem to have one class.
  const told = fields.filter(({ name }) => !fields.some(other => other.name.startsWith(`${name}.`)))
  const rows = told.map(field => {
    const cells = {
      anonymous: cellOf(views.anonymous, field.name),
      stranger: cellOf(views.stranger, field.name),
      self: cellOf(views.self, field.name),
    }
    const written = Object.values(cells).map(cell => JSON.stringify(cell))
    return { field, cells, isSame: new Set(written).size === 1 }
  })
  const isPublic = (row: FieldRow) => row.field.class === 'public'
  return [...rows.filter(row => !isPublic(row)), ...rows.filter(isPublic)]
}
