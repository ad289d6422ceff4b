import { parseExactly } from '../coerce-value.ts'
import { GameDataError } from '../errors.ts'
import type { GameOptions, GameViews, Relation } from './game-views.ts'
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
        if (err instanceof GameDataError) await db.rows('rollback to savepoint one_view')
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

    async hashes(relation) {
      const rows = await db.tuples(
        `select ${quoted(relation.key)}::text, hashtextextended(view_row::text, 0)::text from ${relationText(relation)} as view_row`,
      )
      return rows.map(([key = null, hash]) => [key, hash ?? ''])
    },

    async *rows(relation, _columns, keys) {
      const key = quoted(relation.key)
      await db.rows(
        `declare changed no scroll cursor for
         select ${key}::text, to_json(view_row)::text from ${relationText(relation)} as view_row
         ${keys === 'all' ? '' : `where ${key}::text = any($1::text[])`}`,
        keys === 'all' ? [] : [keys],
      )
      for (;;) {
        const rows = await db.tuples(`fetch ${fetchSize} from changed`)
        for (const [rowKey = null, json] of rows)
          if (typeof json === 'string') yield [rowKey, parseExactly(json) as Record<string, unknown>]
        if (rows.length < fetchSize) break
      }
      await db.rows('close changed')
    },
  }
}
