import {
  defaultWindowMs,
  type LimitStore,
  type RateLimitState,
  rateLimitState,
  type SharedLimit,
  stricter,
} from './rate-limit.ts'
import { noSlot, OverflowBuckets, WindowRing, type WindowTable } from './windows.ts'

export interface MemoryLimits extends LimitStore {
  consume(subject: string, limit: number, shared?: SharedLimit): RateLimitState
  peek(subject: string, limit: number): RateLimitState
  /** The number of subjects with a window of their own. */
  size(): number
}

/** A subject's window, in either table. */
interface WindowSlot {
  table: WindowTable
  slot: number
}

/**
 * Rate limits in the memory of this process. `now` is for tests; by default the system's monotonic clock is used. Beyond `subjectsMax`
 * running windows, further subjects share windows by hash.
 */
export function createMemoryLimits(
  options: { windowMs?: number; now?: () => number; subjectsMax?: number } = {},
): MemoryLimits {
  const { windowMs = defaultWindowMs, subjectsMax = 2_000_000 } = options
  const clock = createWindowClock(options.now)
  const ring = new WindowRing(subjectsMax)
  const overflow = new OverflowBuckets()

  const running = (subject: string, now: number): WindowSlot | undefined => {
    const own = ring.find(subject, now)
    if (own !== noSlot) return { table: ring, slot: own }
    const common = overflow.find(subject, now)
    return common === noSlot ? undefined : { table: overflow, slot: common }
  }

  const begin = (subject: string, now: number): WindowSlot => {
    const table = ring.isFull ? overflow : ring
    return { table, slot: table.open(subject, now + windowMs) }
  }

  const countOf = (window: WindowSlot | undefined): number => (window ? window.table.countOf(window.slot) : 0)

  /** The state of a window; without one, of the one that would begin now. */
  const state = (
    window: WindowSlot | undefined,
    limit: number,
    isAllowed: boolean,
    now: number,
  ): RateLimitState => {
    const endsAt = window ? window.table.endOf(window.slot) : now + windowMs
    const resetAt = clock.wallTimeOf(endsAt)
    return rateLimitState({ limit, count: countOf(window), isAllowed, resetAt, leftMs: endsAt - now })
  }

  return {
    consume(subject, limit, shared) {
      const now = clock.elapsed()
      ring.dropEnded(now)
      let window = running(subject, now)
      let sharedWindow = shared && running(shared.subject, now)
      const isAllowed = countOf(window) < limit && (!shared || countOf(sharedWindow) < shared.limit)
      if (isAllowed) {
        window ??= begin(subject, now)
        window.table.increment(window.slot)
        if (shared) {
          sharedWindow ??= begin(shared.subject, now)
          sharedWindow.table.increment(sharedWindow.slot)
        }
      }
      const own = state(window, limit, isAllowed, now)
      return shared ? stricter(own, state(sharedWindow, shared.limit, isAllowed, now)) : own
    },

    peek(subject, limit) {
      const now = clock.elapsed()
      const window = running(subject, now)
      return state(window, limit, countOf(window) < limit, now)
    },

    size: () => ring.size,

    async close() {
      ring.clear()
    },
  }
}

/** Windows are measured on a monotonic clock; the wall clock only dates their end. */
export interface WindowClock {
  /** Monotonic milliseconds. */
  elapsed(): number
  /** The Unix ms of a moment on the monotonic clock. */
  wallTimeOf(moment: number): number
}

/** The two clocks round differently; only a larger gap means that the wall clock was set. */
const roundingMs = 100

/**
 * Without `now`, the system's monotonic clock. With it (in tests), `now` drives both clocks: steps forward are elapsed time, steps back
 * are ignored.
 */
function createWindowClock(now?: () => number): WindowClock {
  const wallNow = now ?? Date.now
  const elapsedAt = now ? accumulateForward() : () => Math.floor(performance.now())
  const toleranceMs = now ? 0 : roundingMs
  let offset = Number.NEGATIVE_INFINITY

  return {
    elapsed() {
      const wall = wallNow()
      const elapsed = elapsedAt(wall)
      // Constant unless the wall clock was set, so that all responses in a window state the same end.
      if (Math.abs(wall - elapsed - offset) > toleranceMs) offset = wall - elapsed
      return elapsed
    },
    wallTimeOf: moment => moment + offset,
  }
}

function accumulateForward(): (reading: number) => number {
  let total = 0
  let last: number | undefined
  return reading => {
    if (last !== undefined && reading > last) total += reading - last
    last = reading
    return total
  }
}
