/** Lists of events: the pages of `/events`, and the events that match a filter of a stream. */
import type { operations, ValuesFor } from '@chancery/contract'
import { type Database, raw, type Sql, sql } from '../store/database.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import { allOf, offsetOf, type Page, readPage } from '../store/paging.ts'
import { blocksWithin, pageFromBlocks } from './event-blocks.ts'
import { columns, type Event, endsOf, type Gap, readEvents, type Span, spanWithin } from './store.ts'

type Filter = ValuesFor<typeof operations.eventsList>

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
  if (hasSubject(filter)) return listBySubject(db, span, filter, { ...page, blocksEnd: ends.blocksEnd })
  if (!kinds) return listByNumber(db, runsOf(span, ends.gaps), page)
  const [kind] = kinds
  return kinds.length === 1 && kind !== undefined
    ? listByKind(db, span, kind, page)
    : listByKinds(db, span, kinds, page)
}

/** Events of a span that match a filter, oldest first: at most `limit`. */
export async function readMatching(
  db: Database,
  span: Span,
  filter: Subjects,
  limit: number,
): Promise<Event[]> {
  const chosen = hasSubject(filter)
    ? selectBySubject(span, filter, { order: sql`e.seq`, rows: limit })
    : filter.type && selectByType(filter.type, span, { limit, isOldestFirst: true })
  if (!chosen) return readEvents(db, span, limit)
  return db.rows<Event>(sql`
    select ${columns} from (select seq from (${chosen}) chosen order by seq limit ${limit}) first
    join chancery_world.event e using (seq) order by e.seq`)
}

/** The part of the selected events that is returned. */
interface PageOfLog {
  offset: number
  limit: number
  isOldestFirst: boolean
}

const lengthOf = ({ first, last }: Span) => Math.max(0, last - first + 1)

/** The numbers of a page within a span. */
function slice(span: Span, { offset, limit, isOldestFirst }: PageOfLog): Span {
  return isOldestFirst
    ? { first: span.first + offset, last: Math.min(span.last, span.first + offset + limit - 1) }
    : { first: Math.max(span.first, span.last - offset - limit + 1), last: span.last - offset }
}

const direction = ({ isOldestFirst }: Pick<PageOfLog, 'isOldestFirst'>) =>
  isOldestFirst ? sql`asc` : sql`desc`

/** The parts of a span outside the gaps, which are ordered: spans, oldest first, none of them empty. */
function runsOf({ first, last }: Span, gaps: readonly Gap[]): Span[] {
  const runs: Span[] = []
  let start = first
  for (const { last_before, first_after } of gaps) {
    if (start <= Math.min(last_before, last)) runs.push({ first: start, last: Math.min(last_before, last) })
    start = Math.max(start, first_after)
  }
  if (start <= last) runs.push({ first: start, last })
  return runs
}

/** The number at a position of the runs, from 0. */
function numberAt(runs: readonly Span[], position: number): number {
  let before = 0
  for (const { first, last } of runs) {
    const number = first + position - before
    if (number <= last) return number
    before += last - first + 1
  }
  throw new Error('a position lies beyond the log')
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

/**
 * The number within a kind of its first event from a number on (`asc`), or of its last up to a number. Types are compared and ordered as well:
 * for an order by numbers alone the planner may walk along all events, because it does not know how far the next of a kind is.
 */
const kindNumberAt = (kind: Sql, seq: Sql, order: 'asc' | 'desc') => sql`(
  select found.kind_number from (
    select one.type, one.kind_number from chancery_world.event one
    where (one.type, one.seq) ${order === 'asc' ? sql`>=` : sql`<=`} (${kind}, ${seq})
    order by one.type ${raw(order)}, one.seq ${raw(order)} limit 1
  ) found where found.type = ${kind}
)`

/** The first and the last number within a kind in a span. */
const kindSpan = (kind: Sql, { first, last }: Span) => sql`
  ${kindNumberAt(kind, sql`${first}::bigint`, 'asc')} as first, ${kindNumberAt(kind, sql`${last}::bigint`, 'desc')} as last`

/** One kind: its own numbers have no gaps at all. */
async function listByKind(db: Database, span: Span, kind: string, page: PageOfLog): Promise<Page<Event>> {
  const found = await db.first<{ first: number | null; last: number | null }>(
    sql`select ${kindSpan(sql`${kind}`, span)}`,
  )
  // Null: none of the kind from there on, or none up to there.
  const numbers = { first: found?.first ?? Number.POSITIVE_INFINITY, last: found?.last ?? 0 }
  const total = lengthOf(numbers)
  if (page.offset >= total) return { items: [], total }
  const { first, last } = slice(numbers, page)
  const items = await db.rows<Event>(sql`
    select ${columns} from chancery_world.event e
    where e.type = ${kind} and e.kind_number >= ${first} and e.kind_number <= ${last}
    order by e.kind_number ${direction(page)}`)
  return { items, total }
}

/** How many events of some kinds a span has. */
async function countOfKinds(db: Database, span: Span, kinds: string[]): Promise<number> {
  const counted = await db.first<{ total: number }>(sql`
    select coalesce(sum(greatest(0, numbers.last - numbers.first + 1)), 0) as total
    from unnest(${kinds}::text[]) as k (type), lateral (select ${kindSpan(sql`k.type`, span)}) numbers`)
  return counted?.total ?? 0
}

/** Several kinds: a binary search finds the start of the page, so that events before it are not read. */
async function listByKinds(db: Database, span: Span, kinds: string[], page: PageOfLog): Promise<Page<Event>> {
  const total = await countOfKinds(db, span, kinds)
  if (page.offset >= total) return { items: [], total }
  const { isOldestFirst, offset, limit } = page
  const start = await findSeqOf(db, span, kinds, isOldestFirst ? offset + 1 : total - offset)
  const shown = isOldestFirst ? { first: start, last: span.last } : { first: span.first, last: start }
  const items = await db.rows<Event>(sql`
    select ${columns} from (
      select seq from (${selectByType(kinds, shown, page)}) candidate order by seq ${direction(page)} limit ${limit}
    ) chosen join chancery_world.event e using (seq) order by e.seq ${direction(page)}`)
  return { items, total }
}

/**
 * The number in the log of the `ordinal`th event (from 1, oldest first) of some kinds in a span: the least up to which there are this
 * many. How many there are up to a number is the difference of two numbers within each kind.
 */
async function findSeqOf(db: Database, span: Span, kinds: string[], ordinal: number): Promise<number> {
  const found = await db.first<{ seq: number }>(sql`
    with recursive numbers as (
      select begun.type, begun.first from (
        select w.type, ${kindNumberAt(sql`w.type`, sql`${span.first}::bigint`, 'asc')} as first
        from unnest(${kinds}::text[]) as w (type)
      ) begun where begun.first is not null
    ), halves (low, high) as (
      select ${span.first}::bigint, ${span.last}::bigint
      union all
      select case when counted.events >= ${ordinal} then h.low else middle.seq + 1 end,
        case when counted.events >= ${ordinal} then middle.seq else h.high end
      from halves h, lateral (select (h.low + h.high) / 2 as seq) middle, lateral (
        select coalesce(sum(greatest(0, ${kindNumberAt(sql`n.type`, sql`middle.seq`, 'desc')} - n.first + 1)), 0) as events
        from numbers n
      ) counted
      where h.low < h.high
    )
    select low as seq from halves where low = high`)
  if (!found) throw new Error('no event has this position')
  return found.seq
}

/** The numbers of at most `limit` events of each kind, the first in the order of the page. */
const selectByType = (
  kinds: string[],
  { first, last }: Span,
  page: Pick<PageOfLog, 'limit' | 'isOldestFirst'>,
) => sql`
  select candidate.seq from unnest(${kinds}::text[]) as k (type), lateral (
    select c.seq from chancery_world.event c
    where (c.type, c.seq) >= (k.type, ${first}::bigint) and (c.type, c.seq) <= (k.type, ${last}::bigint)
    order by c.type ${direction(page)}, c.seq ${direction(page)} limit ${page.limit}
  ) candidate`

/** Filters by kind and subject. */
type Subjects = Pick<ValuesFor<typeof operations.eventsList>, 'type' | 'nation_id' | 'alliance_id' | 'war_id'>

export const hasSubject = ({ nation_id, alliance_id, war_id }: Subjects) =>
  nation_id !== undefined || alliance_id !== undefined || war_id !== undefined

/** Up to this many events, filtering each is faster than the index of an alliance. */
const fewOfKindMax = 5_000

/** For at most `fewOfKindMax` events of the requested kinds: filters them by the subjects in their rows. */
export const selectByTypeAndSubject = (
  kinds: string[],
  span: Span,
  { nation_id, alliance_id }: Subjects,
): Sql =>
  among(
    selectByType(kinds, span, { limit: fewOfKindMax, isOldestFirst: true }),
    isAbout(sql`e.nation_ids`, nation_id),
    isAbout(sql`e.alliance_ids`, alliance_id),
  )

/** The first of the selected events, in an order of `e`. */
interface First {
  order: Sql
  rows: number
}

/**
 * The numbers of events about nations, alliances or a war, each once. A war has fewer events than a nation, and a nation fewer than an
 * alliance: the index of the first of them finds the events, which are then filtered by the rest. With `first` only those and some more
 * are read, where nothing is filtered.
 */
export function selectBySubject(span: Span, filter: Subjects, first?: First): Sql {
  const { type, nation_id, alliance_id, war_id } = filter
  const inSpan = allOf([
    sql`e.seq >= ${span.first} and e.seq <= ${span.last}`,
    type && sql`e.type = any(${type})`,
  ])
  const isAboutNation = isAbout(sql`e.nation_ids`, nation_id)
  const isAboutAlliance = isAbout(sql`e.alliance_ids`, alliance_id)
  if (war_id !== undefined) {
    const found = sql`select e.seq from chancery_world.event e where e.war_id = ${war_id} and ${inSpan}`
    return among(found, isAboutNation, isAboutAlliance)
  }
  if (nation_id) {
    const nations = { table: sql`chancery_world.event_nation`, column: sql`e.nation_id`, ids: nation_id }
    return alliance_id
      ? among(bySubject(nations, inSpan), isAboutAlliance)
      : bySubject(nations, inSpan, first)
  }
  const alliances = { table: sql`chancery_world.event_alliance`, column: sql`e.alliance_id` }
  return bySubject({ ...alliances, ids: alliance_id ?? [] }, inSpan, first)
}

const isAbout = (subjects: Sql, ids: string[] | undefined) => ids && sql`${subjects} ?| ${ids}`

/** Filters events by further conditions. */
const among = (found: Sql, ...rest: (Sql | undefined)[]): Sql =>
  rest.some(condition => condition !== undefined)
    ? sql`select e.seq from (${found}) found join chancery_world.event e using (seq) where ${allOf(rest)}`
    : found

interface Subject {
  table: Sql
  column: Sql
  ids: string[]
}

/** An event may be about several of the ids. A single id is compared with `=`: the index then returns events in order. */
function bySubject({ table, column, ids }: Subject, inSpan: Sql, first?: First): Sql {
  if (ids.length === 1) return sql`select e.seq from ${table} e where ${column} = ${ids[0]} and ${inSpan}`
  if (!first) return sql`select distinct e.seq from ${table} e where ${column} = any(${ids}) and ${inSpan}`
  return sql`
    select distinct found.seq from unnest(${ids}::text[]) as i (id), lateral (
      select e.seq from ${table} e where ${column} = i.id and ${inSpan} order by ${first.order} limit ${first.rows}
    ) found`
}

async function listBySubject(
  db: Database,
  span: Span,
  filter: Filter,
  { blocksEnd, ...page }: PageOfLog & { blocksEnd: number },
): Promise<Page<Event>> {
  const { type, nation_id, alliance_id, war_id } = filter
  const ofKinds = type && war_id === undefined ? await countOfKinds(db, span, type) : undefined
  if (ofKinds === 0) return { items: [], total: 0 }
  const areFew = ofKinds !== undefined && ofKinds <= fewOfKindMax
  const chosen = type && areFew ? selectByTypeAndSubject(type, span, filter) : selectBySubject(span, filter)
  const blocks = nation_id || war_id !== undefined || areFew ? undefined : blocksWithin(span, blocksEnd)
  if (alliance_id && blocks) {
    const inSpan = (span: Span) => selectBySubject(span, filter)
    const found = await pageFromBlocks(
      db,
      { span, blocks, alliances: alliance_id, types: type, inSpan },
      page,
    )
    return { items: await readInOrder(db, found.seqs, page), total: found.total }
  }
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

const readInOrder = (db: Database, seqs: number[], page: PageOfLog): Promise<Event[]> =>
  db.rows<Event>(sql`
    select ${columns} from chancery_world.event e where e.seq = any(${seqs}) order by e.seq ${direction(page)}`)
