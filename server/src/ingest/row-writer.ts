import { isDeepStrictEqual } from 'node:util'
import { type Database, raw, type Sql, sql } from '../store/database.ts'

type Row = Record<string, unknown>

/**
 * Writes whole rows, new or existing, in one statement. Rows travel as one JSON value, which PostgreSQL decodes by the column types of
 * the table.
 * `isNested`: most of a row is nested; as jsonb it is parsed once (a third less time), where flat rows are faster as json.
 */
export function createRowWriter(
  table: string,
  key: string,
  columns: readonly string[],
  { isNested = false } = {},
) {
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
    await db.rows(sql`${before}${JSON.stringify(rows.map(row => pickColumns(columns, row as Row)))}${after}`)
  }
}

/** A row before and after a change; `before` is undefined where it does not exist yet. */
export interface RowChange {
  after: object
  before: object | undefined
}

/** Each set of columns is a prepared statement of a connection. */
const columnSetsMax = 24

/**
 * Writes rows of which most exist: of those only the columns in which any of them differs, so that a changed score does not write a
 * whole row. An update also avoids the lock that `on conflict` takes on each row.
 * `before` must be the stored row. Equal nested values count as unchanged.
 */
export function createChangedRowWriter(
  table: string,
  key: string,
  columns: readonly string[],
  { isNested = false } = {},
) {
  const writeNew = createRowWriter(table, key, columns, { isNested })
  const others = columns.filter(column => column !== key)
  const statements = new Map<string, { before: Sql; after: Sql }>()
  const statementFor = (changed: readonly string[]) => {
    const name = changed.join(', ')
    const statement = statements.get(name) ?? updateOf({ table, key, isNested }, changed)
    statements.set(name, statement)
    return statement
  }

  return async (db: Database, rows: readonly RowChange[]): Promise<void> => {
    const added = rows.flatMap(({ after, before }) => (before ? [] : [after]))
    const kept = rows.flatMap(({ after, before }) =>
      before && others.some(column => differs(before, after, column)) ? [{ after, before }] : [],
    )
    const changed = others.filter(column => kept.some(({ after, before }) => differs(before, after, column)))
    if (kept.length > 0) {
      const isUsual = statements.size < columnSetsMax || statements.has(changed.join(', '))
      const written = isUsual ? changed : others
      const { before, after } = statementFor(written)
      const values = JSON.stringify(kept.map(row => pickColumns([key, ...written], row.after as Row)))
      await db.rows(sql`${before}${values}${after}`)
    }
    await writeNew(db, added)
  }
}

const differs = (before: object, after: object, column: string) =>
  !isDeepStrictEqual((before as Row)[column], (after as Row)[column])

/** An entity may have more members, also secrets: only the columns of the table are written to it. */
function pickColumns(columns: readonly string[], row: Row): Row {
  const picked: Row = {}
  for (const column of columns) if (row[column] !== null) picked[column] = row[column]
  return picked
}

function updateOf(
  { table, key, isNested }: { table: string; key: string; isNested: boolean },
  columns: readonly string[],
): { before: Sql; after: Sql } {
  const form = isNested ? 'jsonb' : 'json'
  const sets = columns.map(column => `${column} = r.${column}`).join(', ')
  return {
    before: raw(`update ${table} t set ${sets} from ${form}_populate_recordset(null::${table}, `),
    after: raw(`::${form}) r where t.${key} = r.${key}`),
  }
}

/** Deletes rows by key. */
export function createRowRemover(table: string, key: string) {
  const statement = raw(`delete from ${table} where ${key} = any(`)
  return async (db: Database, keys: readonly string[]): Promise<void> => {
    if (keys.length === 0) return
    await db.rows(sql`${statement}${keys})`)
  }
}
