import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createMemoryLimits } from '../../server/src/limits/memory.ts'
import { createRateLimiter } from '../src/rate-limiter.ts'
import { type ManualClock, manualClock } from './support/clocks.ts'

const headersOf = (values: { limit: number; remaining: number; reset: number; date?: number }) =>
  new Headers({
    'x-ratelimit-limit': String(values.limit),
    'x-ratelimit-remaining': String(values.remaining),
    'x-ratelimit-reset': String(values.reset),
    ...(values.date === undefined ? {} : { date: new Date(values.date).toUTCString() }),
  })

/** The rate limit of the server, on the clock of a test. `skewMs` is how far the client's clock is ahead. */
function serverLimit(clock: ManualClock, limit: number, skewMs = 0) {
  const wall = () => clock.wall() - skewMs
  const limits = createMemoryLimits({ now: wall })
  return () => {
    const { isAllowed, remaining, resetAt } = limits.consume('bot', limit)
    const headers = headersOf({ limit, remaining, reset: Math.ceil(resetAt / 1000), date: wall() })
    return { isAllowed, headers }
  }
}

function setUp(limit = 120) {
  const clock = manualClock()
  return { clock, limiter: createRateLimiter({ clock, limit, windowMs: 60_000 }) }
}

/** Asserts that the next request waits for exactly this time. */
async function assertWaits({ clock, limiter }: ReturnType<typeof setUp>, ms: number): Promise<void> {
  let isSent = false
  void limiter.acquire().then(() => (isSent = true))
  await clock.advance(ms - 1)
  assert.equal(isSent, false)
  await clock.advance(1)
  assert.equal(isSent, true)
}

test('requests do not wait while enough calls remain', async () => {
  const { clock, limiter } = setUp()
  const call = serverLimit(clock, 120)
  for (let count = 0; count < 80; count += 1) {
    await limiter.acquire()
    limiter.release(call().headers)
  }
  assert.equal(clock.now(), 0)
})

test('below the reserve the remaining calls are spread over the rest of the window', async () => {
  const { clock, limiter } = setUp()
  const call = serverLimit(clock, 120)
  const sentAt: number[] = []
  const all = Array.from({ length: 130 }, async () => {
    await limiter.acquire()
    sentAt.push(clock.now())
    const { isAllowed, headers } = call()
    assert.ok(isAllowed)
    clock.after(50, () => limiter.release(headers))
  })
  await clock.advance(59_000)
  // A quarter and the two that are kept are not sent in a burst, and are sent within the window.
  const burst = sentAt.filter(ms => ms === 0).length
  assert.ok(burst >= 85 && burst <= 92, `${burst} at once`)
  const gaps = sentAt.slice(burst).map((ms, index) => ms - (sentAt[burst + index - 1] ?? 0))
  assert.ok(Math.max(...gaps) < 3_000 && Math.min(...gaps) > 1_000, gaps.join(' '))
  assert.ok(sentAt.length >= 115 && sentAt.length <= 118, `${sentAt.length} in the window`)
  await clock.advance(2_000)
  await Promise.all(all)
})

test('a verification uses the reserved calls, and waits only if none remain', async () => {
  const { clock, limiter } = setUp()
  const reset = clock.wall() / 1000 + 60
  await limiter.acquire()
  limiter.release(headersOf({ limit: 120, remaining: 2, reset, date: clock.wall() }))
  const order: string[] = []
  const ordinary = limiter.acquire().then(() => order.push('ordinary'))
  await limiter.acquire(undefined, true)
  order.push('urgent')
  limiter.release(headersOf({ limit: 120, remaining: 0, reset, date: clock.wall() }))
  const late = limiter.acquire(undefined, true).then(() => order.push('late'))
  await clock.advance(59_999)
  assert.deepEqual(order, ['urgent'])
  await clock.advance(1)
  await Promise.all([ordinary, late])
  assert.deepEqual(order, ['urgent', 'late', 'ordinary'])
})

test('before the first response, the smallest limit applies', async () => {
  const { clock, limiter } = setUp(60)
  let sent = 0
  for (let count = 0; count < 200; count += 1) void limiter.acquire().then(() => (sent += 1))
  await clock.advance(600_000)
  assert.equal(sent, 58)
  limiter.release()
  await clock.flush()
  assert.equal(sent, 59)
})

for (const hours of [-5, 0, 5]) {
  test(`a clock that is ${hours} hours wrong does not change the waits`, async () => {
    const { clock, limiter } = setUp()
    const serverNow = clock.wall() - hours * 3_600_000
    await limiter.acquire()
    limiter.release(headersOf({ limit: 120, remaining: 0, reset: serverNow / 1000 + 20, date: serverNow }))
    await assertWaits({ clock, limiter }, 20_000)
  })
}

test('without a Date header, a wrong clock costs one window at most', async () => {
  const { clock, limiter } = setUp()
  await limiter.acquire()
  limiter.release(headersOf({ limit: 120, remaining: 0, reset: clock.wall() / 1000 + 7_200 }))
  await assertWaits({ clock, limiter }, 60_000)
})

test('responses out of order do not restore spent calls', async () => {
  const { clock, limiter } = setUp()
  const reset = clock.wall() / 1000 + 60
  await limiter.acquire()
  await limiter.acquire()
  limiter.release(headersOf({ limit: 120, remaining: 1, reset, date: clock.wall() }))
  limiter.release(headersOf({ limit: 120, remaining: 50, reset, date: clock.wall() }))
  await assertWaits({ clock, limiter }, 60_000)
})

test('an aborted request leaves the queue, and the others keep their order', async () => {
  const { clock, limiter } = setUp()
  limiter.block(1_000)
  const controller = new AbortController()
  const order: number[] = []
  const first = limiter.acquire().then(() => order.push(1))
  const second = limiter.acquire(controller.signal)
  const third = limiter.acquire().then(() => order.push(3))
  const reason = new Error('enough')
  controller.abort(reason)
  await assert.rejects(second, error => error === reason)
  await clock.advance(1_000)
  await Promise.all([first, third])
  assert.deepEqual(order, [1, 3])
  await assert.rejects(limiter.acquire(AbortSignal.abort(reason)), error => error === reason)
})

test('an aborted request takes no call of waiting ones', async () => {
  const { clock, limiter } = setUp(60)
  for (let count = 0; count < 58; count += 1) void limiter.acquire()
  await clock.advance(600_000)
  const controller = new AbortController()
  const left = limiter.acquire(controller.signal)
  controller.abort(new Error('enough'))
  await assert.rejects(left, /enough/)
  let isSent = false
  void limiter.acquire().then(() => (isSent = true))
  limiter.release()
  await clock.advance(60_000)
  assert.equal(isSent, true)
})

test('invalid headers are ignored', async () => {
  const { clock, limiter } = setUp()
  for (const [limit, remaining, reset] of [
    ['x', '0', '1'],
    ['120', '-1', '1'],
    ['120', '0', '9e99'],
    ['', '', ''],
  ]) {
    await limiter.acquire()
    limiter.release(
      new Headers({
        'x-ratelimit-limit': limit ?? '',
        'x-ratelimit-remaining': remaining ?? '',
        'x-ratelimit-reset': reset ?? '',
      }),
    )
  }
  await limiter.acquire()
  assert.equal(clock.now(), 0)
})

test('no request gets a 429 at any limit, load and delay', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 60, max: 240 }),
      fc.integer({ min: -7_200_000, max: 7_200_000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 3_000 })), {
        minLength: 100,
        maxLength: 500,
      }),
      async (limit, skewMs, calls) => {
        const { clock, limiter } = setUp(60)
        const call = serverLimit(clock, limit, skewMs)
        let refused = 0
        let completed = 0
        let at = 0
        for (const [gap, latency] of calls) {
          at += gap % 40
          clock.after(at, () => {
            void limiter.acquire().then(() => {
              const { isAllowed, headers } = call()
              if (!isAllowed) refused += 1
              clock.after(latency, () => {
                completed += 1
                limiter.release(headers)
              })
            })
          })
        }
        await clock.advance(1_000_000)
        assert.deepEqual([refused, completed], [0, calls.length])
      },
    ),
    { numRuns: 15 },
  )
})
