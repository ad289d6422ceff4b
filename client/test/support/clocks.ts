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

/** A clock that only advances on request. */
export interface ManualClock extends Clock {
  /** Advances the clock timer by timer, and finishes the work of each timer before the next. */
  advance(ms: number): Promise<void>
  /** Finishes pending work. */
  flush(): Promise<void>
}

export function manualClock({ wallAt = Date.parse('2026-05-27T18:00:00Z') } = {}): ManualClock {
  let now = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  const finishWork = async () => {
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
    flush: finishWork,
    async advance(ms) {
      const end = now + ms
      await finishWork()
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.callback()
        await finishWork()
      }
      now = end
    },
  }
}

/** A clock that advances in steps, each after the work of the last one. */
export interface SteppedClock extends Clock {
  /** Stops the clock until this work is done. */
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
  async function finishWork(): Promise<void> {
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
      await finishWork()
      while (now < end) {
        now += stepMs
        const due = steps.get(now / stepMs) ?? []
        steps.delete(now / stepMs)
        for (const callback of due) callback()
        await finishWork()
      }
    },
  }
}

/** A seeded generator of numbers from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
