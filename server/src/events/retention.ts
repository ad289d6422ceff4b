/**
 * What is kept of the event log (CHANCERY_EVENTS_KEEP). Older events are never returned: the log begins at `pulse.first_seq`. They are
 * written to a file and deleted in blocks.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Contract } from '@chancery/contract'
import { createItemSerializer } from '../disclosure/disclosure.ts'
import { type DatabasePool, type Sql, sql } from '../store/database.ts'
import { eventRetentionLock, ingestLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import { deleteBlocks } from './event-blocks.ts'
import { readInParts, type Span } from './store.ts'

/** A span of time, or the latest eras: the current one counts. */
export type EventsKept = { days: number } | { eras: number }

/** Events are kept for at least this long: webhooks repeat deliveries, and snapshots that contain them are kept. */
export const daysKeptMin = 30

export interface RetentionOptions {
  /** Acts as the role of ingestion. */
  pool: DatabasePool
  contract: Contract
  kept: EventsKept
  /** Where expired events are written to before they are deleted. Undefined: nowhere. */
  archiveDir: string | undefined
  /** Called after a block has been deleted. */
  onDeleted: (block: DeletedBlock) => void
  /** Ends the work between two transactions. */
  signal: AbortSignal
  /** The most events of one file. */
  blockLength?: number
}

export interface DeletedBlock {
  /** The last number of the block. */
  last: number
  rows: number
  /** Its archive. */
  file: string | undefined
}

const blockLengthDefault = 65_536

/**
 * Lets events expire, and deletes those that expired an hour ago. In one process at a time. Rejects with the reason of the signal if it is
 * aborted.
 */
export async function retainEvents(options: RetentionOptions): Promise<void> {
  await options.pool.connection(async db => {
    const lock = await db.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_lock(${eventRetentionLock}) as is_ours`,
    )
    if (!lock?.is_ours) return
    try {
      await expire(options)
      await deleteExpired(options)
    } finally {
      await db.rows(sql`select pg_advisory_unlock(${eventRetentionLock})`)
    }
  })
}

/** The first number that is kept. Times are those of logging, as for `since`; days are whole ones, so that each has one archive. */
function firstKept(kept: EventsKept): Sql {
  const since = (days: number) => sql`
    coalesce((select min(first_seq) from chancery_world.event_log_span
      where logged_at >= (current_date - ${days}::int)::timestamptz), seq + 1)`
  if ('days' in kept) return since(kept.days)
  // An era may be sent late, long after the ones before it. Without the event of each of them everything is kept.
  return sql`least(${since(daysKeptMin)}, (
    select case when count(first) = ${kept.eras} then min(first) else 1 end
    from (
      select (
        select min(e.seq) from chancery_world.event e where e.type = 'era.started' and e.data -> 'era' ->> 'era_id' = era.id
      ) as first
      from chancery_world.era where status <> 'upcoming' order by started_at desc nulls last, number desc, id limit ${kept.eras}
    ) latest))`
}

async function expire({ pool, kept }: RetentionOptions): Promise<void> {
  await pool.transaction(async db => {
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    const raised = await db.rows(sql`
      update chancery_world.pulse p set first_seq = kept.first, events_expired_at = clock_timestamp(), world_version = world_version + 1
      from (select ${firstKept(kept)} as first from chancery_world.pulse) kept where kept.first > p.first_seq returning 1`)
    if (raised.length > 0) await db.rows(notifyPulse)
  })
  // The newest stays: times never decrease, also in a log without events.
  await pool.rows(sql`
    delete from chancery_world.event_log_span
    where last_seq < (select first_seq from chancery_world.pulse)
      and last_seq < (select max(last_seq) from chancery_world.event_log_span)`)
  await pool.rows(sql`
    delete from chancery_world.log_gap where first_after <= (select first_seq from chancery_world.pulse)`)
}

/** Streams and requests in flight may be reading what expires, and an operator may have set too short a time. */
const deletedAfterMinutes = 60

async function deleteExpired(options: RetentionOptions): Promise<void> {
  const { pool, archiveDir, onDeleted, signal, blockLength = blockLengthDefault } = options
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const block = await pool.first<Span & { rows: number }>(sql`
      select min(seq) as first, max(seq) as last, count(*) as rows from (
        select seq from chancery_world.event
        where seq > ${after} and seq < (
          select first_seq from chancery_world.pulse
          where events_expired_at <= clock_timestamp() - make_interval(mins => ${deletedAfterMinutes}))
        order by seq limit ${blockLength}
      ) expired`)
    if (!block?.rows) return
    const file = archiveDir === undefined ? undefined : await archive(options, archiveDir, block)
    await deleteEvents(options, block)
    onDeleted({ ...block, file })
    after = block.last
  }
}

const eventsAtOnce = 1_000

/** Writes events to a file, a line each, as /events returns them. Its name has the time: it replaces no file of another log. */
async function archive(
  { pool, contract, signal }: RetentionOptions,
  dir: string,
  span: Span,
): Promise<string> {
  const write = createItemSerializer(contract, 'event')
  async function* lines(): AsyncGenerator<string> {
    for await (const events of readInParts(pool, span, eventsAtOnce))
      yield events.map(event => `${write(event)}\n`).join('')
  }
  await mkdir(dir, { recursive: true })
  const time = new Date().toISOString().replaceAll(/[-:]/g, '')
  const file = join(dir, `events-${span.first}-${span.last}-${time}.ndjson.gz`)
  const output = createWriteStream(`${file}.part`, { flags: 'wx', flush: true })
  await pipeline(Readable.from(lines()), createGzip(), output, { signal })
  await rename(`${file}.part`, file)
  return file
}

/** In parts, which are transactions of their own. The indexes by nation and by alliance are found by the subjects of the events. */
async function deleteEvents({ pool, signal }: RetentionOptions, span: Span): Promise<void> {
  for await (const events of readInParts(pool, span, eventsAtOnce)) {
    signal.throwIfAborted()
    const seqs = events.map(({ seq }) => seq)
    await pool.transaction(async db => {
      // A redaction rewrites events in another order.
      await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
      await db.rows(sql`
        with gone as (
          delete from chancery_world.event where seq = any(${seqs}) returning seq, nation_ids, alliance_ids
        ), of_nations as (
          delete from chancery_world.event_nation i
          using (select seq, jsonb_array_elements_text(nation_ids) as id from gone) g where i.nation_id = g.id and i.seq = g.seq
        )
        delete from chancery_world.event_alliance i
        using (select seq, jsonb_array_elements_text(alliance_ids) as id from gone) g where i.alliance_id = g.id and i.seq = g.seq`)
    })
  }
  await deleteBlocks(pool, span.last)
}
