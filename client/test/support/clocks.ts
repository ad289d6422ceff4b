import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'

const turnMsMax = 3

/**
 * A clock that runs faster by a factor. Each turn of the event loop advances it by three milliseconds (times the factor) at most, so
 * that timeouts do not depend on the load of the machine.
 */
export function acceleratedClock(factor: number): Clock {
  const timers = new Set<{ at: number; callback: () => void }>()
  let passed = 0
  let seenAt = performance.now()
  let turns: NodeJS.Timeout | undefined
  const pass = (msMax: number) => {
    const at = performance.now()
    passed += Math.min(at - seenAt, msMax) * factor
    seenAt = at
  }
  const turn = () => {
    pass(turnMsMax)
    for (const timer of timers) {
      if (timer.at > passed) continue
      timers.delete(timer)
      timer.callback()
    }
    if (timers.size > 0) return
    clearInterval(turns)
    turns = undefined
  }
  return {
    now() {
      if (turns === undefined) pass(Number.POSITIVE_INFINITY)
      return passed
    },
    wall: () => Date.now(),
    after(ms, callback) {
      if (turns === undefined) pass(Number.POSITIVE_INFINITY)
      turns ??= setInterval(turn, 1)
      const timer = { at: passed + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
}

/** A clock that stands still until it is advanced. */
export interface ManualClock extends Clock {
  /** Advances the clock timer by timer, and finishes the work of each timer before the next. */
  advance(ms: number): Promise<void>
  /** Finishes pending work. */
  flush(): Promise<void>
}

export function manualClock({ wallAt = Date.parse('2026-05-27T18:00:00Z') } = {}): ManualClock {
  let now = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  const settle = async () => {
    for (let round = 0; round < 5; round += 1) await setImmediate()
  }
  return {
    now: () => now,
    wall: () => wallAt + now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    flush: settle,
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.callback()
        await settle()
      }
      now = end
    },
  }
}
