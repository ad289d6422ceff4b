import { type Database, type Sql, sql } from '../store/database.ts'
import type { Page } from '../store/paging.ts'
import type { Span } from './gaps.ts'
import { columns, direction, type Event, lengthOf, type PageOfLog, slice } from './page-of-log.ts'

/** The numbers within a kind that fall into a span. */
const kindSpan = (kind: Sql, { first, last }: Span) => sql`
  (select kind_number from chancery_world.event where type = ${kind} and seq >= ${first} order by seq limit 1) as first,
  (select kind_number from chancery_world.event where type = ${kind} and seq <= ${last} order by seq desc limit 1) as last`

/** One kind: its own numbers have no gaps at all. */
export async function listByKind(
  db: Database,
  span: Span,
  kind: string,
  page: PageOfLog,
): Promise<Page<Event>> {
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
export async function countOfKinds(db: Database, span: Span, kinds: string[]): Promise<number> {
  const counted = await db.first<{ total: number }>(sql`
    select coalesce(sum(greatest(0, numbers.last - numbers.first + 1)), 0) as total
    from unnest(${kinds}::text[]) as k (type), lateral (select ${kindSpan(sql`k.type`, span)}) numbers`)
  return counted?.total ?? 0
}

/** Several kinds: where the page begins is looked for by halves, so that what comes before it is never read. */
export async function listByKinds(
  db: Database,
  span: Span,
  kinds: string[],
  page: PageOfLog,
): Promise<Page<Event>> {
  const total = await countOfKinds(db, span, kinds)
  if (page.offset >= total) return { items: [], total }
  const { isOldestFirst, offset, limit } = page
  const start = await findSeqOf(db, span, kinds, isOldestFirst ? offset + 1 : total - offset)
  const shown = isOldestFirst ? { first: start, last: span.last } : { first: span.first, last: start }
  const items = await db.rows<Event>(sql`
    select ${columns} from (
      select seq from (${chosenByKinds(kinds, shown, page)}) candidate order by seq ${direction(page)} limit ${limit}
    ) chosen join chancery_world.event e using (seq) order by e.seq ${direction(page)}`)
  return { items, total }
}

/**
 * The number in the log of the `ordinal`th event (from 1, oldest first) of some kinds in a span: the least up to which there are so
 * many. How many there are up to a number is the difference of two numbers within each kind.
 */
async function findSeqOf(db: Database, span: Span, kinds: string[], ordinal: number): Promise<number> {
  const found = await db.first<{ seq: number }>(sql`
    with recursive numbers as (
      select k.type, begun.first from unnest(${kinds}::text[]) as k (type), lateral (
        select kind_number as first from chancery_world.event e
        where e.type = k.type and e.seq >= ${span.first} order by e.seq limit 1
      ) begun
    ), halves (low, high) as (
      select ${span.first}::bigint, ${span.last}::bigint
      union all
      select case when counted.events >= ${ordinal} then h.low else middle.seq + 1 end,
        case when counted.events >= ${ordinal} then middle.seq else h.high end
      from halves h, lateral (select (h.low + h.high) / 2 as seq) middle, lateral (
        select coalesce(sum(greatest(0, (
          select e.kind_number from chancery_world.event e
          where e.type = n.type and e.seq <= middle.seq order by e.seq desc limit 1
        ) - n.first + 1)), 0) as events from numbers n
      ) counted
      where h.low < h.high
    )
    select low as seq from halves where low = high`)
  if (!found) throw new Error('a log that has so many events has their numbers')
  return found.seq
}

/** The numbers of so many events of each kind. */
export const chosenByKinds = (
  kinds: string[],
  { first, last }: Span,
  page: Pick<PageOfLog, 'limit' | 'isOldestFirst'>,
) => sql`
  select candidate.seq from unnest(${kinds}::text[]) as k (type), lateral (
    select c.seq from chancery_world.event c
    where c.type = k.type and c.seq >= ${first} and c.seq <= ${last}
    order by c.seq ${direction(page)} limit ${page.limit}
  ) candidate`
