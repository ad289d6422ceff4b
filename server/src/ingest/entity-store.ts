import { type FactResource, primaryKeys } from '@chancery/contract'
import { raw, type Sql, sql } from '../store/database.ts'
import { factColumns, oncePerContract } from '../store/fact-columns.ts'
import type { EntityStore, SplitAttributes } from './changes.ts'
import { createRowRemover, createRowWriter } from './row-writer.ts'
import { removeTombstones } from './tombstones.ts'

/**
 * Keeps a resource whose things are the rows of one table: columns have the names of the fields.
 * `more`: columns that no fact fills. `leavesTombstone`: what is gone may still be referred to, until it is back.
 */
export function createTableStore<T extends object>(
  resource: FactResource,
  table: string,
  { more = [], leavesTombstone = false }: { more?: (keyof T & string)[]; leavesTombstone?: boolean } = {},
): EntityStore<T> {
  const key = primaryKeys[resource]
  const keyOf = (thing: T) => String(thing[key as keyof T])
  const statements = oncePerContract(contract => {
    const { world, secret } = factColumns(contract, resource)
    const [own, others] = table.startsWith('chancery_secret.') ? [secret, world] : [world, secret]
    if (others.length > 0)
      throw new Error(`${table} must not hold ${others.join(', ')}: it has readers of its own`)
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
    async save(batch, things) {
      await statements(batch).write(batch.db, things)
      if (leavesTombstone) await removeTombstones(batch.db, resource, things.map(keyOf))
    },
    remove: ({ db }, keys) => remove(db, keys),
  }
}

/** Where the fields stand that not everyone may read. */
interface SecretTable {
  table: string
  key: string
  isNested?: boolean
}

/**
 * The statements of a resource with a table for what everyone may read, and a second one for the rest. `more`: columns of the first that
 * no fact fills.
 */
export function createTwoTables<W>(
  resource: FactResource,
  table: string,
  { table: secretTable, key: secretKey, isNested = false }: SecretTable,
  writerOf: (table: string, key: string, columns: string[], options: { isNested: boolean }) => W,
  more: string[] = [],
) {
  const key = primaryKeys[resource]
  return oncePerContract(contract => {
    const { world, secret } = factColumns(contract, resource)
    return {
      /** Up to the keys and a closing parenthesis. */
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

/** The row of a thing in its second table. */
export const secretRow = <T extends Omit<SplitAttributes, 'attributes'>>(
  secretKey: string,
  id: string,
  thing: T,
) => ({
  ...thing,
  [secretKey]: id,
  attributes: thing.private_attributes,
})

/** The table that holds the things of a resource, and the column of their key. Who has applied is nobody's business. */
export const factTable = (resource: FactResource) => ({
  table: `${resource === 'alliance_application' ? 'chancery_secret' : 'chancery_world'}.${resource}`,
  key: primaryKeys[resource],
})
