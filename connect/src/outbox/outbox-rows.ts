import { ConnectError } from '../errors.ts'
import type { GameDatabase } from '../game-database/postgres.ts'

/** The facts that one transaction of the game has written: one batch. */
export interface OutboxTransaction {
  /** Stable id: from the outbox's identity, the first row and the time when that was written. */
  batch: string
  rowIds: string[]
  /** JSON, in the order of writing. */
  facts: string[]
}

/**
 * The oldest transactions, in the order of their last rows, at most `limit`. Two that wrote about the same item are in the order
 * of their commits: the second could write its row only after the first had released its lock on the item. The order of their
 * first rows may differ.
 */
export async function readTransactions(db: GameDatabase, limit: number): Promise<OutboxTransaction[]> {
  const identity = await readIdentity(db)
  const rows = await db.tuples(
    `with oldest as (
       select txid, max(id) as last_id from chancery_out.outbox group by txid order by last_id limit $1
     )
     select w.last_id, o.id, o.fact::text, (extract(epoch from o.written_at) * 1000000)::bigint
     from oldest w join chancery_out.outbox o using (txid) order by w.last_id, o.id`,
    [limit],
  )
  return Map.groupBy(rows, ([lastId]) => lastId)
    .values()
    .map(transaction => {
      const first = transaction[0] ?? []
      return {
        batch: `outbox:${identity}:${first[1]}-${BigInt(first[3] ?? 0).toString(36)}`,
        rowIds: transaction.map(row => row[1] ?? ''),
        facts: transaction.map(row => row[2] ?? ''),
      }
    })
    .toArray()
}

async function readIdentity(db: GameDatabase): Promise<string> {
  await requireOutbox(db)
  const [row] = await db.tuples('select id from chancery_out.outbox_identity')
  if (!row?.[0])
    throw new ConnectError('chancery_out.outbox_identity has no row: insert into it default values')
  return row[0].replaceAll('-', '').slice(0, 12)
}

async function requireOutbox(db: GameDatabase): Promise<void> {
  const [row] = await db.tuples(
    `select to_regclass('chancery_out.outbox') is not null and to_regclass('chancery_out.outbox_identity') is not null`,
  )
  if (row?.[0] !== 't')
    throw new ConnectError(
      "the game's database has no outbox: chancery outbox sql prints the SQL that creates one",
    )
}

export async function removeRows(db: GameDatabase, rowIds: string[]): Promise<void> {
  if (rowIds.length > 0)
    await db.tuples('delete from chancery_out.outbox where id = any($1::bigint[])', [rowIds])
}

/** The backlog of an outbox. */
export interface OutboxStatus {
  rows: number
  transactions: number
  /** By the clock of the game's database; null if the outbox is empty. */
  oldest_seconds: number | null
}

export async function readOutboxStatus(db: GameDatabase): Promise<OutboxStatus> {
  await requireOutbox(db)
  const [row] = await db.tuples(
    `select count(*), count(distinct txid), extract(epoch from clock_timestamp() - min(written_at))
     from chancery_out.outbox`,
  )
  const [rows, transactions, oldest] = row ?? []
  return {
    rows: Number(rows),
    transactions: Number(transactions),
    oldest_seconds:
      oldest === null || oldest === undefined ? null : Math.max(0, Math.round(Number(oldest) * 1000) / 1000),
  }
}
