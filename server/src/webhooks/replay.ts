import { createEventFilter, webhooks } from '@chancery/contract'
import { readInParts } from '../events/store.ts'
import { ApiError } from '../http/http-error.ts'
import { type Database, type DatabasePool, isoTime, type Sql, sql } from '../store/database.ts'
import { exclusiveDeliveryLock } from '../store/locks.ts'
import { type Endpoint, filterOf } from './endpoint-store.ts'

/** What to replay: one delivery, all failed ones, or the events logged in a time range (`until` exclusive). */
export type Replay = { delivery: string } | { failed: true } | { since: string; until: string }

const rowsPerStep = 5_000
const eventsPerStep = 1_000

/**
 * Queues deliveries again: due now, with all retries. Returns how many.
 * @throws {ApiError} bad_request for a range with too many events.
 */
export async function replay(
  pool: DatabasePool,
  endpoint: Endpoint,
  selection: Replay,
  nowMs: number,
): Promise<number> {
  // The same due time for all of a replay keeps the order of the log.
  const now = isoTime(nowMs)
  if ('delivery' in selection) return replayOne(pool, endpoint, selection.delivery, now)
  if ('failed' in selection) return replayFailed(pool, endpoint, now)
  return replaySpan(pool, endpoint, selection, now)
}

const requeued = (now: string) => sql`state = 'pending', due_at = ${now}, failures = 0, finished_at = null`

/** Queues many deliveries while no results are recorded. */
const inExclusiveTransaction = (pool: DatabasePool, statement: Sql): Promise<unknown[]> =>
  pool.transaction(async db => {
    await db.rows(exclusiveDeliveryLock)
    return db.rows(statement)
  })

async function replayOne(db: Database, { id }: Endpoint, delivery: string, now: string): Promise<number> {
  const number = /^dlv_(\d{1,15})$/.exec(delivery)?.[1]
  if (number === undefined) return 0
  const rows = await db.rows(sql`
    update chancery_outbound.delivery set ${requeued(now)}
    where seq = ${Number(number)} and endpoint_id = ${id} and state <> 'sending' returning id`)
  return rows.length
}

async function replayFailed(pool: DatabasePool, { id }: Endpoint, now: string): Promise<number> {
  let queued = 0
  for (let rows = rowsPerStep; rows === rowsPerStep; queued += rows) {
    rows = (
      await inExclusiveTransaction(
        pool,
        sql`
        update chancery_outbound.delivery set ${requeued(now)}
        where id = any(array(
          select id from chancery_outbound.delivery
          where endpoint_id = ${id} and seq is not null and state = 'failed' order by seq limit ${rowsPerStep}))
        returning id`,
      )
    ).length
  }
  return queued
}

async function replaySpan(
  pool: DatabasePool,
  endpoint: Endpoint,
  { since, until }: { since: string; until: string },
  now: string,
): Promise<number> {
  const span = await pool.first<{ first: number | null; last: number | null; length: number }>(sql`
    select greatest(min(first_seq), (select first_seq from chancery_world.pulse)) as first, max(last_seq) as last, coalesce(sum(last_seq - first_seq + 1), 0) as length
    from chancery_world.event_log_span
    where logged_at >= ${since} and logged_at < ${until}`)
  if (span?.first == null || span.last === null) return 0
  if (span.length > webhooks.replayEventsMax)
    throw new ApiError(
      'bad_request',
      `${span.length} events were logged in this time range; a replay takes at most ${webhooks.replayEventsMax}. Replay shorter ranges.`,
    )
  const matches = createEventFilter(filterOf(endpoint))
  let queued = 0
  for await (const events of readInParts(pool, { first: span.first, last: span.last }, eventsPerStep)) {
    const seqs = events.filter(matches).map(({ seq }) => seq)
    if (seqs.length === 0) continue
    const rows = await inExclusiveTransaction(
      pool,
      sql`
      insert into chancery_outbound.delivery as d (endpoint_id, seq, state, due_at, created_at)
      select ${endpoint.id}, seq, 'pending', ${now}, ${now} from unnest(${seqs}::bigint[]) as matched (seq)
      on conflict (endpoint_id, seq) do update set ${requeued(now)} where d.state <> 'sending'
      returning d.id`,
    )
    queued += rows.length
  }
  return queued
}
