import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createMemoryLimits } from '../../server/src/limits/memory.ts'
import { createPace } from '../src/pace.ts'
import { type HandClock, handClock } from './support/clocks.ts'

const headersOf = (values: { limit: number; remaining: number; reset: number; date?: number }) =>
  new Headers({
    'x-ratelimit-limit': String(values.limit),
    'x-ratelimit-remaining': String(values.remaining),
    'x-ratelimit-reset': String(values.reset),
    ...(values.date === undefined ? {} : { date: new Date(values.date).toUTCString() }),
  })

/** The windows that the server itself keeps, on the clock of a test. `skewMs` is how far the client's is ahead. */
function office(clock: HandClock, limit: number, skewMs = 0) {
  const wall = () => clock.wall() - skewMs
  const limits = createMemoryLimits({ now: wall })
  return () => {
    const { isAllowed, remaining, resetAt } = limits.consume('bot', limit)
    const headers = headersOf({ limit, remaining, reset: Math.ceil(resetAt / 1000), date: wall() })
    return { isAllowed, headers }
  }
}

const newPace = (clock: HandClock, limit = 120) => createPace({ clock, limit, windowMs: 60_000 })

test('nobody waits while the budget is fine', async () => {
  const clock = handClock()
  const call = office(clock, 120)
  const pace = newPace(clock)
  for (let count = 0; count < 80; count += 1) {
    await pace.take()
    pace.done(call().headers)
  }
  assert.equal(clock.now(), 0)
})

test('below the reserve what is left is spread over the rest of the window', async () => {
  const clock = handClock()
  const call = office(clock, 120)
  const pace = newPace(clock)
  const sentAt: number[] = []
  const all = Array.from({ length: 130 }, async () => {
    await pace.take()
    sentAt.push(clock.now())
    const { isAllowed, headers } = call()
    assert.ok(isAllowed)
    clock.after(50, () => pace.done(headers))
  })
  await clock.pass(59_000)
  // A quarter and the two that are kept are not sent in a burst, and are sent within the window.
  const burst = sentAt.filter(ms => ms === 0).length
  assert.ok(burst >= 85 && burst <= 92, `${burst} at once`)
  const gaps = sentAt.slice(burst).map((ms, index) => ms - (sentAt[burst + index - 1] ?? 0))
  assert.ok(Math.max(...gaps) < 3_000 && Math.min(...gaps) > 1_000, gaps.join(' '))
  assert.ok(sentAt.length >= 115 && sentAt.length <= 118, `${sentAt.length} in the window`)
  await clock.pass(2_000)
  await Promise.all(all)
})

test('a verification does not wait for what is kept, only for a window that has nothing left', async () => {
  const clock = handClock()
  const pace = newPace(clock)
  const reset = clock.wall() / 1000 + 60
  await pace.take()
  pace.done(headersOf({ limit: 120, remaining: 2, reset, date: clock.wall() }))
  const order: string[] = []
  const ordinary = pace.take().then(() => order.push('ordinary'))
  await pace.take(undefined, true)
  order.push('urgent')
  pace.done(headersOf({ limit: 120, remaining: 0, reset, date: clock.wall() }))
  const late = pace.take(undefined, true).then(() => order.push('late'))
  await clock.pass(59_999)
  assert.deepEqual(order, ['urgent'])
  await clock.pass(1)
  await Promise.all([ordinary, late])
  assert.deepEqual(order, ['urgent', 'late', 'ordinary'])
})

test('before the first answer no more go out than the smallest limit allows', async () => {
  const clock = handClock()
  const pace = newPace(clock, 60)
  let sent = 0
  for (let count = 0; count < 200; count += 1) void pace.take().then(() => (sent += 1))
  await clock.pass(600_000)
  assert.equal(sent, 58)
  pace.done()
  await clock.settle()
  assert.equal(sent, 59)
})

for (const hours of [-5, 0, 5]) {
  test(`a clock that is ${hours} hours wrong changes no wait`, async () => {
    const clock = handClock()
    const pace = newPace(clock)
    const serverNow = clock.wall() - hours * 3_600_000
    await pace.take()
    pace.done(headersOf({ limit: 120, remaining: 0, reset: serverNow / 1000 + 20, date: serverNow }))
    let isSent = false
    void pace.take().then(() => (isSent = true))
    await clock.pass(19_999)
    assert.equal(isSent, false)
    await clock.pass(1)
    assert.equal(isSent, true)
  })
}

test('where nobody says what the time is, a wrong clock costs a window at most', async () => {
  const clock = handClock()
  const pace = newPace(clock)
  await pace.take()
  pace.done(headersOf({ limit: 120, remaining: 0, reset: clock.wall() / 1000 + 7_200 }))
  let isSent = false
  void pace.take().then(() => (isSent = true))
  await clock.pass(60_000)
  assert.equal(isSent, true)
})

test('answers that overtake each other do not give back what is spent', async () => {
  const clock = handClock()
  const pace = newPace(clock)
  const reset = clock.wall() / 1000 + 60
  await pace.take()
  await pace.take()
  pace.done(headersOf({ limit: 120, remaining: 1, reset, date: clock.wall() }))
  pace.done(headersOf({ limit: 120, remaining: 50, reset, date: clock.wall() }))
  let isSent = false
  void pace.take().then(() => (isSent = true))
  await clock.pass(59_999)
  assert.equal(isSent, false)
  await clock.pass(1)
  assert.equal(isSent, true)
})

test('whoever gives up while waiting leaves the queue, and the others keep their order', async () => {
  const clock = handClock()
  const pace = newPace(clock)
  pace.block(1_000)
  const controller = new AbortController()
  const order: number[] = []
  const first = pace.take().then(() => order.push(1))
  const second = pace.take(controller.signal)
  const third = pace.take().then(() => order.push(3))
  const reason = new Error('enough')
  controller.abort(reason)
  await assert.rejects(second, error => error === reason)
  await clock.pass(1_000)
  await Promise.all([first, third])
  assert.deepEqual(order, [1, 3])
  await assert.rejects(pace.take(AbortSignal.abort(reason)), error => error === reason)
})

test('whoever has given up takes no place of those who wait', async () => {
  const clock = handClock()
  const pace = newPace(clock, 60)
  for (let count = 0; count < 58; count += 1) void pace.take()
  await clock.pass(600_000)
  const controller = new AbortController()
  const left = pace.take(controller.signal)
  controller.abort(new Error('enough'))
  await assert.rejects(left, /enough/)
  let isSent = false
  void pace.take().then(() => (isSent = true))
  pace.done()
  await clock.pass(60_000)
  assert.equal(isSent, true)
})

test('headers that are none change nothing', async () => {
  const clock = handClock()
  const pace = newPace(clock)
  for (const [limit, remaining, reset] of [
    ['x', '0', '1'],
    ['120', '-1', '1'],
    ['120', '0', '9e99'],
    ['', '', ''],
  ]) {
    await pace.take()
    pace.done(
      new Headers({
        'x-ratelimit-limit': limit ?? '',
        'x-ratelimit-remaining': remaining ?? '',
        'x-ratelimit-reset': reset ?? '',
      }),
    )
  }
  await pace.take()
  assert.equal(clock.now(), 0)
})

test('whatever the limit, the haste and the delays, no call meets a 429', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 60, max: 240 }),
      fc.integer({ min: -7_200_000, max: 7_200_000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 3_000 })), {
        minLength: 100,
        maxLength: 500,
      }),
      async (limit, skewMs, calls) => {
        const clock = handClock()
        const call = office(clock, limit, skewMs)
        const pace = newPace(clock, 60)
        let refused = 0
        let answered = 0
        let at = 0
        for (const [gap, latency] of calls) {
          at += gap % 40
          clock.after(at, () => {
            void pace.take().then(() => {
              const { isAllowed, headers } = call()
              if (!isAllowed) refused += 1
              clock.after(latency, () => {
                answered += 1
                pace.done(headers)
              })
            })
          })
        }
        await clock.pass(1_000_000)
        assert.deepEqual([refused, answered], [0, calls.length])
      },
    ),
    { numRuns: 15 },
  )
})
