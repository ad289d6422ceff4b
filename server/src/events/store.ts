/**
 * The event log: derived in the transaction of a batch (`event-collector.ts`, `game-events.ts`), numbered without gaps, and read here by
 * page; `filtered-pages.ts` has the queries by kind and subject, `event-stream.ts` delivers new events over SSE. Only restores leave gaps
 * (`spans.ts`).
 */
import type { operations, ValuesFor } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import { offsetOf, type Page, readPage } from '../store/paging.ts'
import {
  countOfKinds,
  fewOfKindMax,
  hasSubject,
  listByKind,
  listByKinds,
  type Subjects,
  selectBySubject,
  selectByType,
  selectByTypeAndSubject,
} from './filtered-pages.ts'
import {
  columns,
  direction,
  type Event,
  type Gap,
  isLost,
  lengthOf,
  numberAt,
  type PageOfLog,
  runsOf,
  type Span,
  slice,
} from './spans.ts'

export type { Event, Span } from './spans.ts'

type Filter = ValuesFor<typeof operations.eventsList>

/** Events of a span of the log, oldest first: at most `limit`. */
export async function readEvents(db: Database, { first, last }: Span, limit: number): Promise<Event[]> {
  return db.rows<Event>(sql`
    select ${columns} from chancery_world.event e
    where e.seq >= ${first} and e.seq <= ${last} order by e.seq limit ${limit}`)
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

/** Events of a span that match a filter, oldest first: at most `limit`. */
export async function readMatching(
  db: Database,
  span: Span,
  filter: Subjects,
  limit: number,
): Promise<Event[]> {
  const chosen = hasSubject(filter)
    ? selectBySubject(span, filter)
    : filter.type && selectByType(filter.type, span, { limit, isOldestFirst: true })
  if (!chosen) return readEvents(db, span, limit)
  return db.rows<Event>(sql`
    select ${columns} from (select seq from (${chosen}) chosen order by seq limit ${limit}) first
    join chancery_world.event e using (seq) order by e.seq`)
}

/** The first number of an event after a number, up to `end`; undefined where there is none. */
export async function findNextSeq(db: Database, after: number, end: number): Promise<number | undefined> {
  const next = await db.first<{ seq: number }>(sql`
    select seq from chancery_world.event where seq > ${after} and seq <= ${end} order by seq limit 1`)
  return next?.seq
}

/** A page of the log, or `cursor_expired` where `after` is before the retained log, beyond its end, or was lost in a restore. */
export async function listEvents(
  { pools }: ReadContext,
  filter: Filter,
): Promise<Page<Event> | 'cursor_expired'> {
  const db = pools.public
  const ends = await endsOf(db, filter)
  const span = spanWithin(ends, filter)
  if (span === 'cursor_expired') return span
  const page = { offset: offsetOf(filter), limit: filter.limit, isOldestFirst: filter.after !== undefined }
  const { type: kinds } = filter
  if (hasSubject(filter)) return listBySubject(db, span, filter, page)
  if (!kinds) return listByNumber(db, runsOf(span, ends.gaps), page)
  const [kind] = kinds
  return kinds.length === 1 && kind !== undefined
    ? listByKind(db, span, kind, page)
    : listByKinds(db, span, kinds, page)
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

type Ends = Pick<Filter, 'since' | 'until' | 'after'>

/** The ends of the log, and the first numbers that were logged at or after two times; null where none was. */
interface LogEnds extends Span {
  since: number | null
  until: number | null
  /** In order; one for each restore of a backup. */
  gaps: Gap[]
}

async function endsOf(db: Database, { since, until }: Ends): Promise<LogEnds> {
  const ends = await db.first<LogEnds>(sql`
    select first_seq as first, seq as last,
      (select min(first_seq) from chancery_world.event_log_span where logged_at >= ${since ?? null}) as since,
      (select min(first_seq) from chancery_world.event_log_span where logged_at >= ${until ?? null}) as until,
      (select coalesce(json_agg(g order by g.last_before), '[]') from chancery_world.log_gap g) as gaps
    from chancery_world.pulse`)
  if (!ends) throw new Error('chancery_world.pulse has no row')
  return ends
}

/** The span between `since`, `until` and `after`. Times are compared with those of logging, which never decrease. */
function spanWithin(ends: LogEnds, { since, until, after }: Ends): Span | 'cursor_expired' {
  const span = { first: ends.first, last: ends.last }
  if (after !== undefined && after !== 0) {
    if (after < ends.first - 1 || after > ends.last || isLost(after, ends.gaps)) return 'cursor_expired'
  }
  if (since !== undefined) span.first = Math.max(span.first, ends.since ?? ends.last + 1)
  if (until !== undefined) span.last = Math.min(span.last, (ends.until ?? ends.last + 1) - 1)
  if (after !== undefined) span.first = Math.max(span.first, after + 1)
  return span
}

/** The whole log: every number of its runs is an event, so a page is a range of numbers. */
async function listByNumber(db: Database, runs: Span[], page: PageOfLog): Promise<Page<Event>> {
  const total = runs.reduce((sum, run) => sum + lengthOf(run), 0)
  if (page.offset >= total) return { items: [], total }
  const positions = slice({ first: 0, last: total - 1 }, page)
  const first = numberAt(runs, positions.first)
  const last = numberAt(runs, positions.last)
  const items = await db.rows<Event>(sql`
    select ${columns} from chancery_world.event e
    where e.seq >= ${first} and e.seq <= ${last} order by e.seq ${direction(page)}`)
  return { items, total }
}

async function listBySubject(
  db: Database,
  span: Span,
  filter: Filter,
  page: PageOfLog,
): Promise<Page<Event>> {
  const { type, war_id } = filter
  const ofKinds = type && war_id === undefined ? await countOfKinds(db, span, type) : undefined
  if (ofKinds === 0) return { items: [], total: 0 }
  const areFew = ofKinds !== undefined && ofKinds <= fewOfKindMax
  const chosen = type && areFew ? selectByTypeAndSubject(type, span, filter) : selectBySubject(span, filter)
  const opposite = { isOldestFirst: !page.isOldestFirst }
  return readPage<Event>(db, filter, {
    columns,
    from: sql`(${chosen}) e`,
    order: sql`e.seq ${direction(page)}`,
    reversed: sql`e.seq ${direction(opposite)}`,
    deferredJoin: {
      alias: sql`e`,
      columns: sql`e.seq`,
      joins: sql`join chancery_world.event e using (seq)`,
    },
  })
}
