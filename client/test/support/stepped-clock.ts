import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'

/** A clock that advances in steps, each after the work of the last one. */
export interface SteppedClock extends Clock {
  /** The clock stands still until this work is done. */
  during<T>(work: Promise<T>): Promise<T>
  /** Advances the clock. */
  advance(ms: number): Promise<void>
}

export function steppedClock(stepMs: number): SteppedClock {
  const wallAt = Date.parse('2026-05-27T18:00:00Z')
  const steps = new Map<number, Set<() => void>>()
  let now = 0
  let working = 0

  /** Waits until no work is pending. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = working === 0 ? quiet + 1 : 0) await setImmediate()
  }

  return {
    now: () => now,
    wall: () => wallAt + now,
    after(ms, callback) {
      const step = Math.max(Math.ceil((now + ms) / stepMs), now / stepMs + 1)
      const due = steps.get(step) ?? new Set()
      steps.set(step, due)
      due.add(callback)
      return () => due.delete(callback)
    },
    async during(work) {
      working += 1
      try {
        return await work
      } finally {
        working -= 1
      }
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      while (now < end) {
        now += stepMs
        const due = steps.get(now / stepMs) ?? []
        steps.delete(now / stepMs)
        for (const callback of due) callback()
        await settle()
      }
    },
  }
}
