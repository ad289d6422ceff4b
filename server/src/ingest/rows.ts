import { type Database, raw, sql } from '../store/database.ts'

/**
 * Writes whole rows, new or known, in one statement. Rows travel as one JSON value, which PostgreSQL takes apart by the
 * table's own column types: a column more is a column more, here and nowhere else.
 * `isNested`: most of a row is nested; as jsonb it is parsed once (a third less time), where flat rows are faster as json.
 */
export function rowWriter(table: string, key: string, columns: readonly string[], { isNested = false } = {}) {
  const form = isNested ? 'jsonb' : 'json'
  const names = columns.join(', ')
  const others = columns.filter(column => column !== key)
  const updates = others.map(column => `${column} = excluded.${column}`).join(', ')
  const before = raw(
    `insert into ${table} (${names}) select ${names} from ${form}_populate_recordset(null::${table}, `,
  )
  const after = raw(`::${form}) on conflict (${key}) do ${updates ? `update set ${updates}` : 'nothing'}`)
  return async (db: Database, rows: readonly object[]): Promise<void> => {
    if (rows.length === 0) return
    await db.rows(sql`${before}${JSON.stringify(rows.map(row => only(columns, row)))}${after}`)
  }
}

/** What a row is written from may hold more, and secrets: only its own columns leave. */
function only(columns: readonly string[], row: object): object {
  const picked: Record<string, unknown> = {}
  for (const column of columns) {
    const value = (row as Record<string, unknown>)[column]
    if (value !== null) picked[column] = value
  }
  return picked
}

/** Removes rows by key. */
export function rowRemover(table: string, key: string) {
  const statement = raw(`delete from ${table} where ${key} = any(`)
  return async (db: Database, keys: readonly string[]): Promise<void> => {
    if (keys.length === 0) return
    await db.rows(sql`${statement}${keys})`)
  }
}

const writeTombstoneRows = rowWriter('chancery_world.tombstone', 'resource, id', [
  'resource',
  'id',
  'name',
  'deleted_at',
])

/** Remembers what is gone, so that later facts may still refer to it and know its name. */
export function writeTombstones(
  db: Database,
  resource: string,
  things: { id: string; name: string | null }[],
  deletedAt: string,
): Promise<void> {
  return writeTombstoneRows(
    db,
    things.map(thing => ({ resource, ...thing, deleted_at: deletedAt })),
  )
}

/** Forgets that things were gone: they are back. Returns which, because history may count towards them. */
export async function removeTombstones(
  db: Database,
  resource: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<{ id: string }>(sql`
    delete from chancery_world.tombstone where resource = ${resource} and id = any(${ids}) returning id`)
  return rows.map(row => row.id)
}
