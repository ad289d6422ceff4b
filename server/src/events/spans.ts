import type { PublicOf, ResourceOf } from '@chancery/contract'
import { sql } from '../store/database.ts'

/** A span of the log, both ends included; empty where `first` is beyond `last`. */
export interface Span {
  first: number
  last: number
}

/** Numbers without events: after a restore, numbering continues above those that may have been delivered. */
export interface Gap {
  /** The last number in the backup. */
  last_before: number
  /** The first number after the restore. */
  first_after: number
}

/** The parts of a span outside the gaps, which are ordered: spans, oldest first, none of them empty. */
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
 * Whether a client cannot resume from a number: its event was delivered before a restore and is lost. The last number of a gap is the
 * position of a client that starts after the restore.
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

/** The part of the selected events that is returned. */
export interface PageOfLog {
  offset: number
  limit: number
  isOldestFirst: boolean
}

export const lengthOf = ({ first, last }: Span) => Math.max(0, last - first + 1)

/** The numbers of a page within a span. */
export function slice(span: Span, { offset, limit, isOldestFirst }: PageOfLog): Span {
  return isOldestFirst
    ? { first: span.first + offset, last: Math.min(span.last, span.first + offset + limit - 1) }
    : { first: Math.max(span.first, span.last - offset - limit + 1), last: span.last - offset }
}

export const direction = ({ isOldestFirst }: Pick<PageOfLog, 'isOldestFirst'>) =>
  isOldestFirst ? sql`asc` : sql`desc`
