import { isDeepStrictEqual } from 'node:util'
import { type FactResource, primaryKeys } from '@chancery/contract'
import { type Database, raw, type Sql, sql } from '../store/database.ts'
import { factColumns, memoizeByContract } from '../store/fact-columns.ts'
import type { EntityStore, SplitAttributes } from './changes.ts'
import { removeTombstones } from './tombstones.ts'

/**
 * A store for a resource with one table, whose columns have the names of the fields.
 * `more`: columns that no fact fills. `leavesTombstone`: deleted entities may still be referred to.
 */
export function createTableStore<T extends object>(
  resource: FactResource,
  table: string,
  { more = [], leavesTombstone = false }: { more?: (keyof T & string)[]; leavesTombstone?: boolean } = {},
): EntityStore<T> {
  const key = primaryKeys[resource]
  const keyOf = (entity: T) => String(entity[key as keyof T])
  const statements = memoizeByContract(contract => {
    const { world, secret } = factColumns(contract, resource)
    const [own, others] = table.startsWith('chancery_secret.') ? [secret, world] : [world, secret]
    if (others.length > 0)
      throw new Error(`${table} must not contain ${others.join(', ')}: other roles read it`)
    const columns = [...own, ...more]
    return {
      select: raw(`select ${columns.join(', ')} from ${table} where ${key} = any(`),
      write: createRowWriter(table, key, columns),
    }
  })
  const remove = createRowRemover(table, key)
  return {
    resource,
    async load(batch, keys) {
      const rows = await batch.db.rows<T>(sql`${statements(batch).select}${keys})`)
      return new Map(rows.map(row => [keyOf(row), row]))
    },
    async save(batch, entities) {
      await statements(batch).write(batch.db, entities)
      if (leavesTombstone) await removeTombstones(batch.db, resource, entities.map(keyOf))
    },
    remove: ({ db }, keys) => remove(db, keys),
  }
}

/** The table of the fields that are not public. */
interface SecretTable {
  table: string
  key: string
  isNested?: boolean
}

/** The statements of a resource with a table for its public fields and another for the rest. `more`: columns of the first that no fact fills. */
export function createPublicAndPrivateTables<W>(
  resource: FactResource,
  table: string,
  { table: secretTable, key: secretKey, isNested = false }: SecretTable,
  writerOf: (table: string, key: string, columns: string[], options: { isNested: boolean }) => W,
  more: string[] = [],
) {
  const key = primaryKeys[resource]
  return memoizeByContract(contract => {
    const { world, secret } = factColumns(contract, resource)
    return {
      /** Without the keys and the closing parenthesis. */
      select: selectOf(
        world,
        secret,
        `${table} w left join ${secretTable} s on s.${secretKey} = w.${key}`,
        key,
      ),
      write: writerOf(table, key, [...world, ...more], { isNested: false }),
      writeSecrets: writerOf(secretTable, secretKey, [secretKey, ...secret], { isNested }),
    }
  })
}

function selectOf(world: string[], secret: string[], from: string, key: string): Sql {
  const columnOf = (name: string) => {
    if (name === 'attributes') return `coalesce(s.attributes, '{}') as private_attributes`
    if (name === 'admin_attributes') return `coalesce(s.admin_attributes, '{}') as admin_attributes`
    return `s.${name}`
  }
  const columns = [...world.map(name => `w.${name}`), ...secret.map(columnOf)]
  return raw(`select ${columns.join(', ')} from ${from} where w.${key} = any(`)
}

/** The row of an entity in its second table. */
export const secretRow = <T extends Omit<SplitAttributes, 'attributes'>>(
  secretKey: string,
  id: string,
  entity: T,
) => ({
  ...entity,
  [secretKey]: id,
  attributes: entity.private_attributes,
})

/** The table of a resource, and the column of its key. Applications are not public. */
export const factTable = (resource: FactResource) => ({
  table: `${resource === 'alliance_application' ? 'chancery_secret' : 'chancery_world'}.${resource}`,
  key: primaryKeys[resource],
})

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
