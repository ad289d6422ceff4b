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
import { type Event, readEvents, type Span } from './store.ts'

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

/** Deletes what had expired at the run before, and lets more events expire. In one process at a time. */
export async function retainEvents(options: RetentionOptions): Promise<void> {
  await options.pool.connection(async db => {
    const lock = await db.first<{ is_ours: boolean }>(
      sql`select pg_try_advisory_lock(${eventRetentionLock}) as is_ours`,
    )
    if (!lock?.is_ours) return
    try {
      // Not what expires now: streams and requests in flight may be reading it.
      await deleteExpired(options)
      await expire(options)
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
  return sql`least(${since(daysKeptMin)}, coalesce((
    select seq from chancery_world.event where type = 'era.started' order by seq desc offset ${kept.eras - 1} limit 1), 1))`
}

async function expire({ pool, kept }: RetentionOptions): Promise<void> {
  await pool.transaction(async db => {
    await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
    const raised = await db.rows(sql`
      update chancery_world.pulse p set first_seq = kept.first, world_version = world_version + 1
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

async function deleteExpired(options: RetentionOptions): Promise<void> {
  const { pool, archiveDir, onDeleted, blockLength = blockLengthDefault } = options
  for (;;) {
    const block = await pool.first<Span & { rows: number }>(sql`
      select min(seq) as first, max(seq) as last, count(*) as rows from (
        select seq from chancery_world.event
        where seq < (select first_seq from chancery_world.pulse) order by seq limit ${blockLength}
      ) expired`)
    if (!block?.rows) return
    const file = archiveDir === undefined ? undefined : await archive(options, archiveDir, block)
    await deleteEvents(pool, block)
    onDeleted({ ...block, file })
  }
}

const eventsAtOnce = 1_000

/** The events of a span, in parts. */
async function* partsOf(pool: DatabasePool, span: Span): AsyncGenerator<Event[]> {
  for (let { first } = span; ; ) {
    const events = await readEvents(pool, { first, last: span.last }, eventsAtOnce)
    const last = events.at(-1)
    if (!last) return
    first = last.seq + 1
    yield events
  }
}

/** Writes events to a file, a line each, as /events returns them. */
async function archive({ pool, contract }: RetentionOptions, dir: string, span: Span): Promise<string> {
  const write = createItemSerializer(contract, 'event')
  async function* lines(): AsyncGenerator<string> {
    for await (const events of partsOf(pool, span)) yield events.map(event => `${write(event)}\n`).join('')
  }
  await mkdir(dir, { recursive: true })
  const file = join(dir, `events-${span.first}-${span.last}.ndjson.gz`)
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(`${file}.part`, { flush: true }))
  await rename(`${file}.part`, file)
  return file
}

/** In parts, which are transactions of their own. The indexes by nation and by alliance are found by the subjects of the events. */
async function deleteEvents(pool: DatabasePool, span: Span): Promise<void> {
  for await (const events of partsOf(pool, span)) {
    const seqs = events.map(({ seq }) => seq)
    await pool.rows(sql`
      with gone as (
        delete from chancery_world.event where seq = any(${seqs}) returning seq, nation_ids, alliance_ids
      ), of_nations as (
        delete from chancery_world.event_nation i
        using (select seq, jsonb_array_elements_text(nation_ids) as id from gone) g where i.nation_id = g.id and i.seq = g.seq
      )
      delete from chancery_world.event_alliance i
      using (select seq, jsonb_array_elements_text(alliance_ids) as id from gone) g where i.alliance_id = g.id and i.seq = g.seq`)
  }
}
