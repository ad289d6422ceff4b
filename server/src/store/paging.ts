import { type Database, type Sql, sql } from './database.ts'

/** A page number from 1 and the size of a page. */
export interface PageRequest {
  page: number
  limit: number
}

/** The items of a page, and the number of items on all pages. */
export interface Page<T> {
  items: T[]
  total: number
}

/** The number of items before a page. */
export const offsetOf = ({ page, limit }: PageRequest): number => (page - 1) * limit

/** The parts of a list query. */
export interface Listing {
  columns: Sql
  /** Tables and conditions. */
  from: Sql
  /** A total order. */
  order: Sql
  /** The reverse order. */
  reversed?: Sql
  /**
   * For wide rows: `columns` are enough to select and order by. The offset is skipped over rows of these columns alone; the rows of the
   * page, as `chosen`, are then joined with `joins`. `alias`: the name of the table in `order`, which then uses `columns` only.
   */
  deferredJoin?: { columns: Sql; joins: Sql; alias?: Sql }
}

/** Up to this size it is faster to sort the result than to scan in order. */
export const smallResultMax = 5_000

/** Counts a list and reads one page of it. A page past the end costs only the count. */
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

/** A slice of a list whose length is known: at most `limit` items after `offset` others. */
export interface Slice {
  offset: number
  limit: number
  total: number
}

/** Reads a slice of a list, from the nearer end. */
export async function readSlice<R>(db: Database, listing: Listing, slice: Slice): Promise<R[]> {
  const { offset, total } = slice
  const count = Math.min(slice.limit, total - offset)
  if (count <= 0) return []
  const fromEnd = total - offset - count
  const { reversed } = listing
  const isSmall = total <= smallResultMax
  if (reversed === undefined || fromEnd >= offset)
    return db.rows<R>(pageOf(listing, listing.order, { limit: count, offset, isSmall }))
  return (await db.rows<R>(pageOf(listing, reversed, { limit: count, offset: fromEnd, isSmall }))).reverse()
}

/** Reads a page of several lists in a row, whose lengths are known. */
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
  isSmall: boolean
}

function pageOf(listing: Listing, order: Sql, { limit, offset, isSmall }: Part): Sql {
  const { columns, from, deferredJoin } = listing
  const part = sql`order by ${order} limit ${limit} offset ${offset}`
  if (!deferredJoin) return sql`select ${columns} from ${from} ${part}`
  // `offset 0` is an optimization fence: the subquery is planned for all its rows, not for the first ones.
  const candidates =
    isSmall && deferredJoin.alias
      ? sql`(select ${deferredJoin.columns} from ${from} offset 0) ${deferredJoin.alias}`
      : from
  return sql`
    select ${columns} from (select ${deferredJoin.columns} from ${candidates} ${part}) chosen ${deferredJoin.joins} order by ${order}`
}

/** Conditions joined by `or`. */
export const anyOf = ([first, ...others]: Sql[]): Sql =>
  others.reduce((any, condition) => sql`(${any} or ${condition})`, first ?? sql`false`)

/** Conditions joined by `and`; true where there are none. */
export function allOf(conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
}
