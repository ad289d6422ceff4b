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
   * columns alone, and `from` of the page itself begins with the chosen ones, as `chosen`.
   */
  chosen?: { columns: Sql; joins: Sql }
}

/** Counts what a filter selects, and reads one page of it. A page past the end costs only the count. */
export async function readPage<R>(
  db: Database,
  request: PageRequest,
  listing: Listing,
  countFrom: Sql = listing.from,
): Promise<Page<R>> {
  const counted = await db.first<{ total: number }>(sql`select count(*) as total from ${countFrom}`)
  const total = counted?.total ?? 0
  const items = await readStretch<R>(db, listing, { offset: offsetOf(request), limit: request.limit, total })
  return { items, total }
}

/** A stretch of a list whose length is known: at most `limit` items after `offset` others. */
export interface Stretch {
  offset: number
  limit: number
  total: number
}

/** Reads a stretch of a list. What comes before it is stepped over from the nearer end. */
export async function readStretch<R>(db: Database, listing: Listing, stretch: Stretch): Promise<R[]> {
  const { offset, total } = stretch
  const count = Math.min(stretch.limit, total - offset)
  if (count <= 0) return []
  const fromEnd = total - offset - count
  const { reversed } = listing
  if (reversed === undefined || fromEnd >= offset)
    return db.rows<R>(pageOf(listing, listing.order, count, offset))
  return (await db.rows<R>(pageOf(listing, reversed, count, fromEnd))).reverse()
}

function pageOf({ columns, from, chosen }: Listing, order: Sql, limit: number, offset: number): Sql {
  if (!chosen) return sql`select ${columns} from ${from} order by ${order} limit ${limit} offset ${offset}`
  return sql`
    select ${columns} from (
      select ${chosen.columns} from ${from} order by ${order} limit ${limit} offset ${offset}
    ) chosen ${chosen.joins} order by ${order}`
}

/** Conditions joined by `and`; true where there are none. */
export function allOf(conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
}
