import {
  type Allowance,
  allowance,
  defaultWindowMs,
  type LimitStore,
  type SharedWindow,
  stricter,
} from './allowance.ts'
import { SharedWindows } from './shared-windows.ts'
import { createWindowClock } from './window-clock.ts'
import { WindowRing } from './window-ring.ts'
import { noSlot, type WindowTable } from './window-table.ts'

export interface MemoryLimits extends LimitStore {
  take(subject: string, limit: number, shared?: SharedWindow): Allowance
  peek(subject: string, limit: number): Allowance
  /** Subjects held with a window of their own. */
  size(): number
}

/** A subject's window, wherever it is counted. */
interface Place {
  table: WindowTable
  slot: number
}

/**
 * Limits of this process. `now` is for tests; without it, elapsed time is the system's monotonic clock.
 * Beyond `subjectsMax` running windows, further subjects share windows by hash.
 */
export function createMemoryLimits(
  options: { windowMs?: number; now?: () => number; subjectsMax?: number } = {},
): MemoryLimits {
  const { windowMs = defaultWindowMs, subjectsMax = 2_000_000 } = options
  const clock = createWindowClock(options.now)
  const ring = new WindowRing(subjectsMax)
  const overflow = new SharedWindows()

  const running = (subject: string, now: number): Place | undefined => {
    const own = ring.find(subject, now)
    if (own !== noSlot) return { table: ring, slot: own }
    const common = overflow.find(subject, now)
    return common === noSlot ? undefined : { table: overflow, slot: common }
  }

  const begin = (subject: string, now: number): Place => {
    const table = ring.isFull ? overflow : ring
    return { table, slot: table.open(subject, now + windowMs) }
  }

  const countOf = (place: Place | undefined): number => (place ? place.table.countOf(place.slot) : 0)

  /** States a window; without a place, the one that would begin now. */
  const state = (place: Place | undefined, limit: number, isAllowed: boolean, now: number): Allowance => {
    const endsAt = place ? place.table.endOf(place.slot) : now + windowMs
    const resetAt = clock.wallTimeOf(endsAt)
    return allowance({ limit, count: countOf(place), isAllowed, resetAt, leftMs: endsAt - now })
  }

  return {
    take(subject, limit, shared) {
      const now = clock.elapsed()
      ring.dropEnded(now)
      let place = running(subject, now)
      let sharedPlace = shared && running(shared.subject, now)
      const isAllowed = countOf(place) < limit && (!shared || countOf(sharedPlace) < shared.limit)
      if (isAllowed) {
        place ??= begin(subject, now)
        place.table.increment(place.slot)
        if (shared) {
          sharedPlace ??= begin(shared.subject, now)
          sharedPlace.table.increment(sharedPlace.slot)
        }
      }
      const own = state(place, limit, isAllowed, now)
      return shared ? stricter(own, state(sharedPlace, shared.limit, isAllowed, now)) : own
    },

    peek(subject, limit) {
      const now = clock.elapsed()
      const place = running(subject, now)
      return state(place, limit, countOf(place) < limit, now)
    },

    size: () => ring.size,

    async close() {
      ring.clear()
    },
  }
}
