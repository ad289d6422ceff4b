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
