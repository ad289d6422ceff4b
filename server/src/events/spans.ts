import type { PublicOf, ResourceOf } from '@chancery/contract'
import { sql } from '../store/database.ts'

/** A span of the log, both ends included; empty where `first` is beyond `last`. */
export interface Span {
  first: number
  last: number
}

/** The numbers between two are no events: a restored backup goes on above what may have been given out. */
export interface Gap {
  /** The newest number that the backup held. */
  last_before: number
  /** The first number that was given out after the restore. */
  first_after: number
}

/** What is left of a span without the gaps, which come in order: spans, oldest first, none of them empty. */
export function runsOf({ first, last }: Span, gaps: readonly Gap[]): Span[] {
  const runs: Span[] = []
  let start = first
  for (const { last_before, first_after } of gaps) {
    if (start <= Math.min(last_before, last)) runs.push({ first: start, last: Math.min(last_before, last) })
    start = Math.max(start, first_after)
  }
  if (start <= last) runs.push({ first: start, last })
  return runs
}

/**
 * Whether a number is one that nobody can go on from: it was given out before a restore, and what it stood for is lost. The
 * last number of a gap is where a reader stands who begins after the restore.
 */
export const isLost = (seq: number, gaps: readonly Gap[]): boolean =>
  gaps.some(({ last_before, first_after }) => seq > last_before && seq < first_after - 1)

/** The number at a position of the runs, from 0. */
export function numberAt(runs: readonly Span[], position: number): number {
  let before = 0
  for (const { first, last } of runs) {
    const number = first + position - before
    if (number <= last) return number
    before += last - first + 1
  }
  throw new Error('a position lies beyond the log')
}

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
