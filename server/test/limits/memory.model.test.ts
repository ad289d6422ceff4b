import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { createMemoryLimits } from '../../src/limits/memory.ts'
import { randomRuns } from '../support/tier.ts'

const start = 1_700_000_000_000
const windowMs = 60_000

/** Short and long waits, and the edges of a window. */
const wait = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 500 }),
  fc.constantFrom(windowMs - 1, windowMs, windowMs + 1),
  fc.integer({ min: 0, max: 90_000 }),
)
const subject = fc.constantFrom('a', 'b', 'c', '__proto__')

test('every state is that of the definition, whatever the order, limits and clock steps', () => {
  const step = fc.record({
    waitMs: fc.oneof(
      { weight: 9, arbitrary: wait },
      { weight: 1, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
    ),
    subject,
    limit: fc.integer({ min: 0, max: 6 }),
    isPeek: fc.boolean(),
    // Further calls must fit this window too.
    within: fc.option(
      fc.record({ subject: fc.constantFrom('p', 'q'), limit: fc.integer({ min: 0, max: 12 }) }),
      {
        nil: undefined,
      },
    ),
    repeats: fc.integer({ min: 1, max: 8 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), steps => {
      let wall = start
      let elapsed = 0
      const model = new Map<string, { endsAt: number; count: number }>()
      const limits = createMemoryLimits({ now: () => wall, windowMs })
      limits.peek('a', 1)
      for (const { waitMs, subject, limit, isPeek, within, repeats } of steps) {
        wall += waitMs
        elapsed += Math.max(0, waitMs)
        for (let repeat = 0; repeat < repeats; repeat++) {
          const wanted = [{ subject, limit }, ...(within && !isPeek ? [within] : [])]
          const windows = wanted.map(({ subject, limit }) => {
            const known = model.get(subject)
            const isRunning = known !== undefined && known.endsAt > elapsed
            return { ...(isRunning ? known : { endsAt: elapsed + windowMs, count: 0 }), subject, limit }
          })
          const isAllowed = windows.every(({ count, limit }) => count < limit)
          for (const window of windows) {
            if (isPeek || !isAllowed) continue
            window.count++
            model.set(window.subject, window)
          }
          const stated = windows.reduce((one, other) => {
            const left = (window: typeof one) => Math.max(0, window.limit - window.count)
            if (left(one) !== left(other)) return left(one) < left(other) ? one : other
            return one.endsAt >= other.endsAt ? one : other
          })
          const state = isPeek ? limits.peek(subject, limit) : limits.consume(subject, limit, within)
          assert.deepEqual(state, {
            limit,
            remaining: Math.max(0, stated.limit - stated.count),
            resetAt: wall + stated.endsAt - elapsed,
            isAllowed,
            retryAfterSeconds: Math.ceil((stated.endsAt - elapsed) / 1000),
          })
        }
      }
    }),
    { numRuns: randomRuns(500) },
  )
})

test('allows, refuses and resets as rate-limiter-flexible does', async t => {
  const call = fc.record({ waitMs: wait, subject, repeats: fc.integer({ min: 1, max: 8 }) })
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: start })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(call, { maxLength: 60, size: 'max' }),
      async (limit, calls) => {
        const theirs = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 })
        const ours = createMemoryLimits({ now: Date.now, windowMs })
        for (const { waitMs, subject, repeats } of calls) {
          t.mock.timers.tick(waitMs)
          for (let repeat = 0; repeat < repeats; repeat++) {
            const { isAllowed, remaining, resetAt } = ours.consume(subject, limit)
            const result = await consume(theirs, subject)
            assert.deepEqual(
              { isAllowed, remaining, leftMs: resetAt - Date.now() },
              { isAllowed: result.isAllowed, remaining: result.remainingPoints, leftMs: result.msBeforeNext },
            )
          }
        }
      },
    ),
    { numRuns: randomRuns(300) },
  )
})

async function consume(limiter: RateLimiterMemory, subject: string) {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(subject)
    return { isAllowed: true, remainingPoints, msBeforeNext }
  } catch (result) {
    if (!(result instanceof RateLimiterRes)) throw result
    return { isAllowed: false, remainingPoints: result.remainingPoints, msBeforeNext: result.msBeforeNext }
  }
}
