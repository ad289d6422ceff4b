import { deletesMax, type FactResource, snapshotGapsReason } from '@chancery/contract'
import { raw, sql } from '../store/database.ts'
import { type Batch, type Change, reject } from './batch.ts'
import { factTable } from './fact-tables.ts'
import type { SnapshotWithKeys } from './spool.ts'

const lastReset = '(select max(r.at) from chancery_world.era_reset r)'
const until = (column: string) => `coalesce(t.${column} <= ${lastReset}, false)`

/** What happened before the world last began anew is history: a game that begins anew tells of it no more. */
const pastOf: Partial<Record<FactResource, string>> = {
  war: until('declared_at'),
  battle: until('fought_at'),
  conflict: until('started_at'),
  era: until('ended_at'),
  news_item: until('published_at'),
}

/**
 * What a snapshot leaves out, as deletions. Asked when its resource's turn comes: what has gone with something else by then is
 * not counted against it.
 * @throws {RefusedBatch} where it leaves out so much that it is taken for a mistake.
 */
export async function snapshotDeletions({ db }: Batch, whole: SnapshotWithKeys): Promise<Change[]> {
  const { line, resource, keys, except, allowsDeletes, at } = whole
  const { table, key } = factTable(resource)
  const [tableName, column] = [raw(table), raw(key)]
  const isPast = raw(pastOf[resource] ?? 'false')
  const counted = await db.first<{ total: number }>(
    sql`select count(*) as total from ${tableName} t where not (${isPast})`,
  )
  const total = counted?.total ?? 0
  const absent = await db.rows<{ key: string }>(sql`
    select ${column} as key from ${tableName} t
    where not exists (select from unnest(${[...keys, ...except]}::text[]) as said (key) where said.key = t.${column})
      and not (${isPast})
    order by 1`)
  if (!allowsDeletes && absent.length > deletesMax(resource, total)) {
    reject(line, '/resource', snapshotGapsReason(resource, { missing: absent.length, total }))
  }
  return absent.map(row => ({ line, op: 'delete', key: row.key, data: {}, at }))
}
