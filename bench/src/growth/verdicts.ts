import type { Timing } from './asking.ts'
import type { Measured, Place } from './measure.ts'

/** Milliseconds that any answer may take: its first page, and any other. */
export const bounds = { first: 150, any: 600 }
/** A list is flat where its pages, and those of the small world, are within this factor of each other or this many milliseconds. */
export const flatness = { factor: 1.3, ms: 1 }

export interface Verdict {
  isMet: boolean
  /** What is not met; empty where all is. */
  why: string
}

/** Whether a question keeps what is promised of it; `small`: the same question in the smallest world. */
export function judge(measured: Measured, small: Measured | undefined): Verdict {
  if (measured.failure !== undefined) return { isMet: false, why: measured.failure.slice(0, 200) }
  const why = measured.promised === 'bounded' ? whyNotBounded(measured) : whyNotFlat(measured, small)
  return { isMet: why === '', why }
}

function whyNotBounded({ pages }: Measured): string {
  const { first, ...others } = pages
  if (first && first.p99 > bounds.first) return `page 1 takes ${first.p99.toFixed(0)} ms`
  const [slow] = entriesOf(others).filter(([, timing]) => timing.p99 > bounds.any)
  return slow ? `the ${slow[0]} page takes ${slow[1].p99.toFixed(0)} ms` : ''
}

/** By medians: a p99 of a millisecond is the machine's, not the list's. */
function whyNotFlat({ pages }: Measured, small: Measured | undefined): string {
  const costs: { what: string; ms: number }[] = [
    ...entriesOf(pages).map(([place, { p50 }]) => ({ what: `${place} page`, ms: p50 })),
    ...(small?.pages.first ? [{ what: 'small world', ms: small.pages.first.p50 }] : []),
  ].sort((one, other) => one.ms - other.ms)
  const [least, most] = [costs.at(0), costs.at(-1)]
  if (!least || !most) return ''
  const isFlat = most.ms <= least.ms * flatness.factor || most.ms - least.ms <= flatness.ms
  return isFlat ? '' : `${most.what} ${most.ms.toFixed(1)} ms, ${least.what} ${least.ms.toFixed(1)} ms`
}

const entriesOf = (pages: Measured['pages']) => Object.entries(pages) as [Place, Timing][]
