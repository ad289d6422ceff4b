/** Windows are measured on a clock that never steps back; the wall clock only says when one ends. */
export interface WindowClock {
  /** Milliseconds since some fixed moment; never fewer than before. */
  elapsed(): number
  /** The Unix ms of a moment on the elapsed scale. */
  wallTimeOf(moment: number): number
}

/** The two clocks round differently; only a larger gap means that the wall clock was set. */
const roundingMs = 100

/**
 * Without `now`, the system's monotonic clock measures. With it (in tests), `now` drives both: its steps
 * forward are elapsed time, its steps back are none, so that nobody waits longer for them.
 */
export function createWindowClock(now?: () => number): WindowClock {
  const wallNow = now ?? Date.now
  const elapsedAt = now ? accumulateForward() : () => Math.floor(performance.now())
  const toleranceMs = now ? 0 : roundingMs
  let offset = Number.NEGATIVE_INFINITY

  return {
    elapsed() {
      const wall = wallNow()
      const elapsed = elapsedAt(wall)
      // Kept unless the wall clock was set: within a window every call is told the same end.
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
