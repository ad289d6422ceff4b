import { parseExactly } from '../coerce-value.ts'
import { GameDataError, GameSchemaError } from '../errors.ts'
import {
  type GameOptions,
  type GameViews,
  type Keys,
  type Relation,
  type ResultColumn,
  sampledMax,
  touchedKeysOf,
  touchedTable,
} from './game-views.ts'
import { openGame } from './postgres.ts'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const relationText = ({ schema, name }: Relation) => `${quoted(schema)}.${quoted(name)}`
const fetchSize = 5_000

/** Reads views of PostgreSQL. */
export async function openPostgresViews(url: string, options: GameOptions): Promise<GameViews> {
  const db = await openGame(url, options)
  return {
    tryLock: db.tryLock,
    keepAlive: db.keepAlive,
    close: db.close,

    async inSnapshot(work) {
      await db.rows('begin isolation level repeatable read read only')
      try {
        return await work()
      } finally {
        await db.rows('rollback').catch(() => undefined)
      }
    },

    async inView(work) {
      await db.rows('savepoint one_view')
      try {
        return await work()
      } catch (err) {
        if (err instanceof GameDataError || err instanceof GameSchemaError)
          await db.rows('rollback to savepoint one_view')
        throw err
      }
    },

    async relations(schema) {
      const found = await db.tuples(
        `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind in ('v', 'm', 'r', 'p', 'f') order by 1`,
        [schema],
      )
      return found.map(([name]) => name ?? '')
    },

    notes: async () => [],

    // Locks the view.
    columns: relation => db.columns(`select * from ${relationText(relation)} limit 0`),

    async hashes(relation, columns, keys) {
      const { condition, values } = whereKeys(relation, columns, keys)
      const rows = await db.tuples(
        `select ${quoted(relation.key)}::text, hashtextextended(view_row::text, 0)::text from ${relationText(relation)} as view_row ${condition}`,
        values,
      )
      return rows.map(([key = null, hash]) => [key, hash ?? ''])
    },

    async someKeys(relation, max) {
      const rows = await db.tuples(
        `select key from (select ${quoted(relation.key)}::text as key from ${relationText(relation)} limit ${sampledMax}) k order by random() limit $1`,
        [max],
      )
      return rows.flatMap(([key]) => key ?? [])
    },

    async *rows(relation, columns, keys) {
      const { condition, values } = whereKeys(relation, columns, keys)
      await db.rows(
        `declare changed no scroll cursor for
         select ${quoted(relation.key)}::text, to_json(view_row)::text from ${relationText(relation)} as view_row ${condition}`,
        values,
      )
      for (;;) {
        const rows = await db.tuples(`fetch ${fetchSize} from changed`)
        for (const [rowKey = null, json] of rows)
          if (typeof json === 'string') yield [rowKey, parseExactly(json) as Record<string, unknown>]
        if (rows.length < fetchSize) break
      }
      await db.rows('close changed')
    },

    async touched(schema, max) {
      const rows = await db.tuples(
        `select number, resource, id from ${quoted(schema)}.${touchedTable} order by number limit $1`,
        [max],
      )
      return touchedKeysOf(rows)
    },

    async deleteTouched(schema, numbers) {
      await db.rows('begin read write')
      try {
        await db.rows(`delete from ${quoted(schema)}.${touchedTable} where number = any($1::bigint[])`, [
          numbers,
        ])
        await db.rows('commit')
      } catch (err) {
        await db.rows('rollback').catch(() => undefined)
        throw err
      }
    },
  }
}

/** The bits of integer types. A key beyond them identifies no row. */
const integerBits: Record<string, number> = { smallint: 16, integer: 32, bigint: 64 }
const texts = new Set(['text', 'character varying'])
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A condition on the key in its own type where that is known, so that an index finds the rows. */
function whereKeys(
  { key }: Relation,
  columns: readonly ResultColumn[],
  keys: Keys,
): { condition: string; values: unknown[] } {
  if (keys === 'all') return { condition: '', values: [] }
  const type = columns.find(({ name }) => name === key)?.type ?? ''
  const is = (column: string, elements: string, values: readonly string[]) => ({
    condition: `where ${column} = any($1::${elements}[])`,
    values: [values],
  })
  const bits = integerBits[type]
  if (bits !== undefined)
    return is(
      quoted(key),
      type,
      keys.filter(text => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text)),
    )
  if (type === 'uuid')
    return is(
      quoted(key),
      type,
      keys.filter(text => uuid.test(text)),
    )
  return is(texts.has(type) ? quoted(key) : `${quoted(key)}::text`, 'text', keys)
}
