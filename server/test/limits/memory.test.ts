import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLimits } from '../../src/limits/memory.ts'

const start = 1_700_000_000_000

/** A wall clock that the test moves. */
function fakeClock() {
  let ms = start
  return {
    now: () => ms,
    move: (byMs: number) => {
      ms += byMs
    },
  }
}

test('remaining includes the call itself', () => {
  const { now } = fakeClock()
  const limits = createMemoryLimits({ now })
  assert.deepEqual(limits.consume('a', 60), {
    limit: 60,
    remaining: 59,
    resetAt: start + 60_000,
    isAllowed: true,
    retryAfterSeconds: 60,
  })
})

test('exactly the limit passes, and then nothing until the window ends', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  const allowed = Array.from({ length: 500 }, () => limits.consume('a', 60)).filter(call => call.isAllowed)
  assert.equal(allowed.length, 60)
  assert.equal(allowed.at(-1)?.remaining, 0)

  clock.move(59_999)
  const refused = limits.consume('a', 60)
  assert.deepEqual([refused.isAllowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 1])
  assert.equal(refused.resetAt, start + 60_000, 'a refused call lengthened the wait')
  clock.move(1)
  assert.equal(limits.consume('a', 60).remaining, 59)
})

test('a window begins with the first call in it, not with the minute', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  limits.consume('a', 60)
  clock.move(61_000)
  assert.equal(limits.consume('a', 60).resetAt, start + 121_000)
})

test('subjects do not share windows', () => {
  const limits = createMemoryLimits({ now: fakeClock().now })
  assert.equal(limits.consume('a', 1).isAllowed, true)
  assert.equal(limits.consume('b', 1).isAllowed, true)
  assert.equal(limits.consume('a', 1).isAllowed, false)
})

test('a raised limit gives its difference at once: refused calls were not counted', () => {
  const limits = createMemoryLimits({ now: fakeClock().now })
  for (let call = 0; call < 100; call++) limits.consume('a', 60)
  assert.equal(limits.consume('a', 120).remaining, 59)
})

test('a lowered limit counts the calls so far', () => {
  const limits = createMemoryLimits({ now: fakeClock().now })
  for (let call = 0; call < 100; call++) limits.consume('a', 120)
  const call = limits.consume('a', 60)
  assert.deepEqual([call.isAllowed, call.remaining, call.limit], [false, 0, 60])
})

test('peek takes nothing and begins no window', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  const unknown = limits.peek('a', 60)
  assert.deepEqual([unknown.remaining, unknown.resetAt, unknown.isAllowed], [60, start + 60_000, true])
  assert.equal(limits.size(), 0)

  clock.move(1000)
  limits.consume('a', 60)
  for (let look = 0; look < 3; look++) {
    const seen = limits.peek('a', 60)
    assert.deepEqual([seen.remaining, seen.resetAt], [59, start + 61_000])
  }
})

test('peek says when the next call would be refused', () => {
  const limits = createMemoryLimits({ now: fakeClock().now })
  limits.consume('a', 1)
  assert.equal(limits.peek('a', 1).isAllowed, false)
})

test('a clock set back by a day locks no client out', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  for (let call = 0; call < 60; call++) limits.consume('a', 60)
  clock.move(-86_400_000)
  const refused = limits.consume('a', 60)
  assert.equal(refused.isAllowed, false)
  assert.equal(refused.retryAfterSeconds, 60)
  assert.equal(refused.resetAt, clock.now() + 60_000, 'the wait is stated on the clock as it is now')
  clock.move(60_000)
  assert.equal(limits.consume('a', 60).isAllowed, true)
})

test('setting the wall clock neither ends nor lengthens a window measured by the system', t => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const limits = createMemoryLimits()
  const first = limits.consume('a', 1)
  assert.equal(first.resetAt, start + 60_000)
  t.mock.timers.setTime(start + 3_600_000)
  const after = limits.consume('a', 1)
  assert.equal(after.isAllowed, false)
  assert.equal(
    Math.abs(after.resetAt - (start + 3_660_000)) < 5000,
    true,
    'the end is stated on the new clock',
  )
})

test('windows that ended are dropped by later calls', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  for (let subject = 0; subject < 100_000; subject++) limits.consume(`subject ${subject}`, 60)
  assert.equal(limits.size(), 100_000)
  clock.move(60_000)
  for (let call = 0; call < 2000; call++) limits.consume('a', 60)
  assert.equal(limits.size(), 1)
})

test('a returning subject keeps its new window when its old one is dropped', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now })
  for (let subject = 0; subject < 5000; subject++) limits.consume(`subject ${subject}`, 2)
  clock.move(60_000)
  assert.equal(limits.consume('subject 4999', 2).remaining, 1)
  for (let call = 0; call < 200; call++) limits.consume('a', 60)
  assert.equal(limits.consume('subject 4999', 2).remaining, 0)
  assert.equal(limits.consume('subject 4999', 2).isAllowed, false)
})

test('when full, running counts stay', () => {
  const limits = createMemoryLimits({ now: fakeClock().now, subjectsMax: 100 })
  for (let subject = 0; subject < 100; subject++) limits.consume(`early ${subject}`, 60)
  for (let subject = 0; subject < 50_000; subject++) limits.consume(`flood ${subject}`, 60)
  for (let subject = 0; subject < 100; subject++) {
    assert.equal(limits.consume(`early ${subject}`, 60).remaining, 58)
  }
  assert.equal(limits.size(), 100)
})

test('when full, newcomers are served, and none beyond the limit', () => {
  const limits = createMemoryLimits({ now: fakeClock().now, subjectsMax: 100 })
  for (let subject = 0; subject < 50_000; subject++) limits.consume(`flood ${subject}`, 60)
  for (let subject = 0; subject < 200; subject++) {
    const calls = Array.from({ length: 70 }, () => limits.consume(`late ${subject}`, 60))
    const allowedCount = calls.filter(call => call.isAllowed).length
    // A few strangers may have used some of the window: one call each here.
    assert.equal(allowedCount <= 60 && allowedCount >= 50, true, `late ${subject}: ${allowedCount}`)
  }
})

test('a subject that came while it was full gets no second window when there is room again', () => {
  const clock = fakeClock()
  const limits = createMemoryLimits({ now: clock.now, subjectsMax: 1 })
  limits.consume('early', 60)
  clock.move(30_000)
  for (let call = 0; call < 60; call++) limits.consume('late', 60)
  clock.move(30_000)
  limits.consume('other', 60)
  clock.move(29_999)
  assert.equal(limits.consume('late', 60).isAllowed, false)
  assert.equal(limits.peek('late', 60).remaining, 0)
  clock.move(1)
  assert.equal(limits.consume('late', 60).remaining, 59)
})
