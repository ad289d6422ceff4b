import type { FactResource } from '@chancery/contract'
import type { ThingStore } from './changes.ts'
import { raw, sql } from './database.ts'
import { rowRemover, rowWriter, unearth } from './rows.ts'

/**
 * Keeps a resource whose things are the rows of one table: columns have the names of the fields.
 * `leavesTombstone`: what is gone may still be referred to, until it is back.
 */
export function tableStore<T extends object>(
  resource: FactResource,
  table: string,
  columns: readonly [key: keyof T & string, ...others: (keyof T & string)[]],
  { leavesTombstone = false } = {},
): ThingStore<T> {
  const [key] = columns
  const keyOf = (thing: T) => String(thing[key])
  const select = raw(`select ${columns.join(', ')} from ${table} where ${key} = any(`)
  const write = rowWriter(table, key, columns)
  const remove = rowRemover(table, key)
  return {
    resource,
    async load({ db }, keys) {
      const rows = await db.rows<T>(sql`${select}${keys})`)
      return new Map(rows.map(row => [keyOf(row), row]))
    },
    async save({ db }, things) {
      await write(db, things)
      if (leavesTombstone) await unearth(db, resource, things.map(keyOf))
    },
    remove: ({ db }, keys) => remove(db, keys),
  }
}
