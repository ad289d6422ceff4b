import { type Allowance, allowance, defaultWindowMs, type LimitStore } from './allowance.ts'
import { SharedWindows } from './shared-windows.ts'
import { createWindowClock } from './window-clock.ts'
import { WindowRing } from './window-ring.ts'
import { noSlot, type WindowTable } from './window-table.ts'

export interface MemoryLimits extends LimitStore {
  take(subject: string, limit: number): Allowance
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
  const shared = new SharedWindows()

  const running = (subject: string, now: number): Place | undefined => {
    const own = ring.find(subject, now)
    if (own !== noSlot) return { table: ring, slot: own }
    const common = shared.find(subject, now)
    return common === noSlot ? undefined : { table: shared, slot: common }
  }

  const begin = (subject: string, now: number): Place => {
    const table = ring.isFull ? shared : ring
    return { table, slot: table.open(subject, now + windowMs) }
  }

  const state = (limit: number, count: number, isAllowed: boolean, endsAt: number, now: number): Allowance =>
    allowance({ limit, count, isAllowed, resetAt: clock.wallTimeOf(endsAt), leftMs: endsAt - now })

  return {
    take(subject, limit) {
      const now = clock.elapsed()
      ring.dropEnded(now)
      const { table, slot } = running(subject, now) ?? begin(subject, now)
      const isAllowed = table.countOf(slot) < limit
      if (isAllowed) table.increment(slot)
      return state(limit, table.countOf(slot), isAllowed, table.endOf(slot), now)
    },

    peek(subject, limit) {
      const now = clock.elapsed()
      const place = running(subject, now)
      const count = place ? place.table.countOf(place.slot) : 0
      const endsAt = place ? place.table.endOf(place.slot) : now + windowMs
      return state(limit, count, count < limit, endsAt, now)
    },

    size: () => ring.size,

    async close() {
      ring.clear()
    },
  }
}
