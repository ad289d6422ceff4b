/**
 * The event log: derived in the transaction of a batch (`event-collector.ts`, `game-events.ts`), numbered without gaps, and read here by
 * number; `list-events.ts` has the pages and filters, `event-blocks.ts` counts the events of alliances, `event-stream.ts` delivers new events over SSE. Only restores leave gaps.
 */
import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** A span of the log, both ends included; empty where `first` is beyond `last`. */
export interface Span {
  first: number
  last: number
}

export type Event = PublicOf<ResourceOf<'event'>>

export const columns = sql`
  'evt_' || e.seq as id, e.seq, e.type, e.occurred_at, e.summary, e.nation_ids, e.alliance_ids, e.war_id, e.conflict_id, e.data`

/** Events of a span of the log, oldest first: at most `limit`. */
export async function readEvents(db: Database, { first, last }: Span, limit: number): Promise<Event[]> {
  return db.rows<Event>(sql`
    select ${columns} from chancery_world.event e
    where e.seq >= ${first} and e.seq <= ${last} order by e.seq limit ${limit}`)
}

/** All events of a span of the log, oldest first, at most `length` at a time. */
export async function* readInParts(db: Database, span: Span, length: number): AsyncGenerator<Event[]> {
  for (let { first } = span; first <= span.last; ) {
    const events = await readEvents(db, { first, last: span.last }, length)
    const last = events.at(-1)
    if (!last) return
    first = last.seq + 1
    yield events
  }
}

/** Events by their numbers, in no order. */
export async function readEventsBySeq(db: Database, seqs: number[]): Promise<Event[]> {
  return db.rows<Event>(sql`select ${columns} from chancery_world.event e where e.seq = any(${seqs})`)
}

/** A span of events that were logged at once. */
export interface LoggedSpan extends Span {
  loggedAt: string
}

/** The announced spans within a span of the log, oldest first. Between them is history that was loaded without announcement. */
export async function readAnnouncedSpans(
  db: Database,
  { first, last }: Span,
  limit: number,
): Promise<LoggedSpan[]> {
  return db.rows<LoggedSpan>(sql`
    select greatest(first_seq, ${first}) as first, least(last_seq, ${last}) as last, logged_at as "loggedAt" from chancery_world.event_log_span
    where is_announced and last_seq >= ${first} and first_seq <= ${last} order by last_seq limit ${limit}`)
}

/** The first number of an event after a number, up to `end`; undefined where there is none. */
export async function findNextSeq(db: Database, after: number, end: number): Promise<number | undefined> {
  const next = await db.first<{ seq: number }>(sql`
    select seq from chancery_world.event where seq > ${after} and seq <= ${end} order by seq limit 1`)
  return next?.seq
}

/** Where a stream starts. */
export interface StreamStart {
  /** Events after this number are delivered. */
  after: number
  /** The newest number: up to here, events are delivered whether they were announced or not. */
  backlogEnd: number
  /** The last number before `until`, if that time has passed. */
  untilSeq: number | undefined
}

/** The start of a stream, or `cursor_expired` as for a page. Without `after` and `since`: the end of the log. */
export async function findStreamStart(db: Database, filter: Ends): Promise<StreamStart | 'cursor_expired'> {
  const ends = await endsOf(db, filter)
  const span = spanWithin(ends, filter)
  if (span === 'cursor_expired') return span
  const isFromNow = filter.after === undefined && filter.since === undefined
  return {
    after: isFromNow ? ends.last : span.first - 1,
    backlogEnd: ends.last,
    untilSeq: ends.until === null ? undefined : ends.until - 1,
  }
}

type Ends = Pick<ValuesFor<typeof operations.eventsList>, 'since' | 'until' | 'after'>

/** The ends of the log, and the first numbers that were logged at or after two times; null where none was. */
interface LogEnds extends Span {
  since: number | null
  until: number | null
  /** Events before this number are in blocks. */
  blocksEnd: number
  /** In order; one for each restore of a backup. */
  gaps: Gap[]
}

export async function endsOf(db: Database, { since, until }: Ends): Promise<LogEnds> {
  const ends = await db.first<LogEnds>(sql`
    select first_seq as first, seq as last, event_blocks_end as "blocksEnd",
      (select min(first_seq) from chancery_world.event_log_span where logged_at >= ${since ?? null}) as since,
      (select min(first_seq) from chancery_world.event_log_span where logged_at >= ${until ?? null}) as until,
      (select coalesce(json_agg(g order by g.last_before), '[]') from chancery_world.log_gap g) as gaps
    from chancery_world.pulse`)
  if (!ends) throw new Error('chancery_world.pulse has no row')
  return ends
}

/** The span between `since`, `until` and `after`. Times are compared with those of logging, which never decrease. */
export function spanWithin(ends: LogEnds, { since, until, after }: Ends): Span | 'cursor_expired' {
  const span = { first: ends.first, last: ends.last }
  if (after !== undefined && after !== 0) {
    if (after < ends.first - 1 || after > ends.last || isLost(after, ends.gaps)) return 'cursor_expired'
  }
  if (since !== undefined) span.first = Math.max(span.first, ends.since ?? ends.last + 1)
  if (until !== undefined) span.last = Math.min(span.last, (ends.until ?? ends.last + 1) - 1)
  if (after !== undefined) span.first = Math.max(span.first, after + 1)
  return span
}

/** Numbers without events: after a restore, numbering continues above those that may have been delivered. */
export interface Gap {
  /** The last number in the backup. */
  last_before: number
  /** The first number after the restore. */
  first_after: number
}

/**
 * Whether a client cannot resume from a number: its event was delivered before a restore and is lost. The last number of a gap is the
 * position of a client that starts after the restore.
 */
const isLost = (seq: number, gaps: readonly Gap[]): boolean =>
  gaps.some(({ last_before, first_after }) => seq > last_before && seq < first_after - 1)
