import type { PublicOf, ResourceOf } from '@chancery/contract'
import { sql } from '../store/database.ts'
import type { Span } from './gaps.ts'

export type Event = PublicOf<ResourceOf<'event'>>

export const columns = sql`
  'evt_' || e.seq as id, e.seq, e.type, e.occurred_at, e.summary, e.nation_ids, e.alliance_ids, e.war_id, e.conflict_id, e.data`

/** Which part of what is selected is shown. */
export interface PageOfLog {
  offset: number
  limit: number
  isOldestFirst: boolean
}

export const lengthOf = ({ first, last }: Span) => Math.max(0, last - first + 1)

/** The part of a span of numbers that a page shows. */
export function slice(span: Span, { offset, limit, isOldestFirst }: PageOfLog): Span {
  return isOldestFirst
    ? { first: span.first + offset, last: Math.min(span.last, span.first + offset + limit - 1) }
    : { first: Math.max(span.first, span.last - offset - limit + 1), last: span.last - offset }
}

export const direction = ({ isOldestFirst }: Pick<PageOfLog, 'isOldestFirst'>) =>
  isOldestFirst ? sql`asc` : sql`desc`
