import { type Database, raw, type Sql, sql } from '../store/database.ts'
import { rowWriter } from './rows.ts'

/** A row as it is to be, and as it stands in the table; undefined where it does not stand there. */
export interface RowChange {
  after: object
  before: object | undefined
}

/** Each set of columns is a statement that a connection keeps. */
const columnSetsMax = 24

type Row = Record<string, unknown>

/**
 * Writes rows of which most are known: of those only the columns in which any of them differs, so that a score costs a score and not a
 * whole row, here, on the way and there. An update also spares the lock that `on conflict` takes on each row.
 * `before` is taken for what stands in the table. Values are compared as they are: what was not dirty is the same object.
 */
export function changedRowWriter(
  table: string,
  key: string,
  columns: readonly string[],
  { isNested = false } = {},
) {
  const writeNew = rowWriter(table, key, columns, { isNested })
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
      const values = JSON.stringify(kept.map(row => only([key, ...written], row.after as Row)))
      await db.rows(sql`${before}${values}${after}`)
    }
    await writeNew(db, added)
  }
}

const differs = (before: object, after: object, column: string) =>
  (before as Row)[column] !== (after as Row)[column]

function only(columns: readonly string[], row: Row): Row {
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
