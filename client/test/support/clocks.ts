import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'

const turnMsMax = 3

/**
 * Time that passes so many times as fast. While somebody waits, a turn of the event loop lets three milliseconds pass at most: on a
 * machine that does ten other things whoever waits for an answer waits for as many turns as on one that does not.
 */
export function hurriedClock(factor: number): Clock {
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
