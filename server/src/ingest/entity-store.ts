import { type FactResource, primaryKeys } from '@chancery/contract'
import { raw, type Sql, sql } from '../store/database.ts'
import { factColumns, memoizeByContract } from '../store/fact-columns.ts'
import type { EntityStore, SplitAttributes } from './changes.ts'
import { createRowRemover, createRowWriter } from './row-writer.ts'
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
