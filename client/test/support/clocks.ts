import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'

/** Time that passes so many times as fast. */
export const hurriedClock = (factor: number): Clock => ({
  now: () => performance.now() * factor,
  wall: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms / factor)
    return () => clearTimeout(timer)
  },
})

/** Time that stands still until it is told to go on. */
export interface HandClock extends Clock {
  /** Lets so many milliseconds pass, timer by timer; whatever a timer sets off is done before the next. */
  pass(ms: number): Promise<void>
  /** Lets what was set off be done. */
  settle(): Promise<void>
}

export function handClock({ wallAt = Date.parse('2026-05-27T18:00:00Z') } = {}): HandClock {
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
    settle,
    async pass(ms) {
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
