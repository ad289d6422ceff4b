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

/**
 * Counts what a filter selects and reads one page of it. A page past the end costs only the count.
 * `from` names tables and conditions; `order` must be total.
 */
export async function readPage<R>(
  db: Database,
  request: PageRequest,
  { columns, from, order }: { columns: Sql; from: Sql; order: Sql },
  countFrom: Sql = from,
): Promise<Page<R>> {
  const counted = await db.first<{ total: number }>(sql`select count(*) as total from ${countFrom}`)
  const total = counted?.total ?? 0
  const offset = offsetOf(request)
  if (offset >= total) return { items: [], total }
  const items = await db.rows<R>(
    sql`select ${columns} from ${from} order by ${order} limit ${request.limit} offset ${offset}`,
  )
  return { items, total }
}

/** Conditions joined by `and`; true where there are none. */
export function allOf(conditions: (Sql | undefined)[]): Sql {
  const given = conditions.filter(condition => condition !== undefined)
  return given.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
}
