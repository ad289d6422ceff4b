import { type Database, type Sql, sql } from './database.ts'

/** Which page is asked for: from 1, with so many items. */
export interface PageRequest {
  page: number
  limit: number
}

/** A page, and how many items there are over all pages. */
export interface Page<T> {
  items: T[]
  total: number
}

/** How many items come before the page. */
export const offsetOf = ({ page, limit }: PageRequest): number => (page - 1) * limit

/** What a page is read from. */
export interface Listing {
  columns: Sql
  /** Tables and conditions. */
  from: Sql
  /** Total: no two items stand at one place. */
  order: Sql
  /** The same order from its end. */
  reversed?: Sql
  /**
   * Where rows are wide: what is enough to select and order by. Items that come before the page are stepped over in `from` by these
   * columns alone, and the page itself is read from the chosen ones, as `chosen`, and `joins`. `alias`: how `order` calls the table;
   * the columns are then all that it orders by.
   */
  deferredJoin?: { columns: Sql; joins: Sql; alias?: Sql }
}

/** As many are sorted faster than the order is walked through in search of them. */
export const smallResultMax = 5_000

/** Counts what a filter selects, and reads one page of it. A page past the end costs only the count. */
export async function readPage<R>(
  db: Database,
  request: PageRequest,
  listing: Listing,
  countFrom: Sql = listing.from,
): Promise<Page<R>> {
  const counted = await db.first<{ total: number }>(sql`select count(*) as total from ${countFrom}`)
  const total = counted?.total ?? 0
  const items = await readSlice<R>(db, listing, { offset: offsetOf(request), limit: request.limit, total })
  return { items, total }
}

/** A stretch of a list whose length is known: at most `limit` items after `offset` others. */
export interface Slice {
  offset: number
  limit: number
  total: number
}

/** Reads a stretch of a list. What comes before it is stepped over from the nearer end. */
export async function readSlice<R>(db: Database, listing: Listing, stretch: Slice): Promise<R[]> {
  const { offset, total } = stretch
  const count = Math.min(stretch.limit, total - offset)
  if (count <= 0) return []
  const fromEnd = total - offset - count
  const { reversed } = listing
  const isFew = total <= smallResultMax
  if (reversed === undefined || fromEnd >= offset)
    return db.rows<R>(pageOf(listing, listing.order, { limit: count, offset, isFew }))
  return (await db.rows<R>(pageOf(listing, reversed, { limit: count, offset: fromEnd, isFew }))).reverse()
}

/** Reads a page of lists that follow each other, whose lengths are known. */
export async function readConcatenated<R>(
  db: Database,
  request: PageRequest,
  parts: { listing: Listing; total: number }[],
): Promise<Page<R>> {
  const items: R[] = []
  let before = 0
  for (const { listing, total } of parts) {
    const first = Math.max(offsetOf(request), before)
    const end = Math.min(offsetOf(request) + request.limit, before + total)
    items.push(...(await readSlice<R>(db, listing, { offset: first - before, limit: end - first, total })))
    before += total
  }
  return { items, total: before }
}

interface Part {
  limit: number
  offset: number
  isFew: boolean
}

function pageOf({ columns, from, deferredJoin }: Listing, order: Sql, { limit, offset, isFew }: Part): Sql {
  const part = sql`order by ${order} limit ${limit} offset ${offset}`
  if (!deferredJoin) return sql`select ${columns} from ${from} ${part}`
  // `offset 0` is a fence: what is behind it is planned as if all of it were wanted, not as if the first of it came soon.
  const candidates =
    isFew && deferredJoin.alias
      ? sql`(select ${deferredJoin.columns} from ${from} offset 0) ${deferredJoin.alias}`
      : from
  return sql`
    select ${columns} from (select ${deferredJoin.columns} from ${candidates} ${part}) chosen ${deferredJoin.joins} order by ${order}`
}

/** Conditions joined by `and`; true where there are none. */
export function allOf(conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
}
