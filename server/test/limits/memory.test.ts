import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLimits } from '../../src/limits/memory.ts'

const start = 1_700_000_000_000

/** A store, and the wall clock that it reads. */
function openLimits(options: { subjectsMax?: number } = {}) {
  let ms = start
  const now = () => ms
  const limits = createMemoryLimits({ now, ...options })
  const move = (byMs: number) => {
    ms += byMs
  }
  return { limits, now, move }
}

test('remaining includes the call itself', () => {
  const { limits } = openLimits()
  assert.deepEqual(limits.consume('a', 60), {
    limit: 60,
    remaining: 59,
    resetAt: start + 60_000,
    isAllowed: true,
    retryAfterSeconds: 60,
  })
})

test('exactly the limit passes, and then nothing until the window ends', () => {
  const { limits, move } = openLimits()
  const allowed = Array.from({ length: 500 }, () => limits.consume('a', 60)).filter(call => call.isAllowed)
  assert.equal(allowed.length, 60)
  assert.equal(allowed.at(-1)?.remaining, 0)

  move(59_999)
  const refused = limits.consume('a', 60)
  assert.deepEqual([refused.isAllowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 1])
  assert.equal(refused.resetAt, start + 60_000, 'a refused call lengthened the wait')
  move(1)
  assert.equal(limits.consume('a', 60).remaining, 59)
})

test('a window begins with the first call in it, not with the minute', () => {
  const { limits, move } = openLimits()
  limits.consume('a', 60)
  move(61_000)
  assert.equal(limits.consume('a', 60).resetAt, start + 121_000)
})

test('subjects do not share windows', () => {
  const { limits } = openLimits()
  assert.equal(limits.consume('a', 1).isAllowed, true)
  assert.equal(limits.consume('b', 1).isAllowed, true)
  assert.equal(limits.consume('a', 1).isAllowed, false)
})

test('a raised limit gives its difference at once: refused calls were not counted', () => {
  const { limits } = openLimits()
  for (let call = 0; call < 100; call++) limits.consume('a', 60)
  assert.equal(limits.consume('a', 120).remaining, 59)
})

test('a lowered limit counts the calls so far', () => {
  const { limits } = openLimits()
  for (let call = 0; call < 100; call++) limits.consume('a', 120)
  const call = limits.consume('a', 60)
  assert.deepEqual([call.isAllowed, call.remaining, call.limit], [false, 0, 60])
})

test('peek takes nothing and begins no window', () => {
  const { limits, move } = openLimits()
  const unknown = limits.peek('a', 60)
  assert.deepEqual([unknown.remaining, unknown.resetAt, unknown.isAllowed], [60, start + 60_000, true])
  assert.equal(limits.size(), 0)

  move(1000)
  limits.consume('a', 60)
  for (let look = 0; look < 3; look++) {
    const seen = limits.peek('a', 60)
    assert.deepEqual([seen.remaining, seen.resetAt], [59, start + 61_000])
  }
})

test('peek states whether the next call would be refused', () => {
  const { limits } = openLimits()
  limits.consume('a', 1)
  assert.equal(limits.peek('a', 1).isAllowed, false)
})

test('a clock set back by a day locks no client out', () => {
  const { limits, now, move } = openLimits()
  for (let call = 0; call < 60; call++) limits.consume('a', 60)
  move(-86_400_000)
  const refused = limits.consume('a', 60)
  assert.equal(refused.isAllowed, false)
  assert.equal(refused.retryAfterSeconds, 60)
  assert.equal(refused.resetAt, now() + 60_000, 'the wait is stated on the clock as it is now')
  move(60_000)
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
  assert.ok(Math.abs(after.resetAt - (start + 3_660_000)) < 5000, 'the end is stated on the new clock')
})

test('windows that ended are dropped by later calls', () => {
  const { limits, move } = openLimits()
  for (let subject = 0; subject < 100_000; subject++) limits.consume(`subject ${subject}`, 60)
  assert.equal(limits.size(), 100_000)
  move(60_000)
  for (let call = 0; call < 2000; call++) limits.consume('a', 60)
  assert.equal(limits.size(), 1)
})

test('a returning subject keeps its new window when its old one is dropped', () => {
  const { limits, move } = openLimits()
  for (let subject = 0; subject < 5000; subject++) limits.consume(`subject ${subject}`, 2)
  move(60_000)
  assert.equal(limits.consume('subject 4999', 2).remaining, 1)
  for (let call = 0; call < 200; call++) limits.consume('a', 60)
  assert.equal(limits.consume('subject 4999', 2).remaining, 0)
  assert.equal(limits.consume('subject 4999', 2).isAllowed, false)
})

test('when full, running counts stay', () => {
  const { limits } = openLimits({ subjectsMax: 100 })
  for (let subject = 0; subject < 100; subject++) limits.consume(`early ${subject}`, 60)
  for (let subject = 0; subject < 50_000; subject++) limits.consume(`flood ${subject}`, 60)
  for (let subject = 0; subject < 100; subject++) {
    assert.equal(limits.consume(`early ${subject}`, 60).remaining, 58)
  }
  assert.equal(limits.size(), 100)
})

test('when full, new subjects are served, and none beyond the limit', () => {
  const { limits } = openLimits({ subjectsMax: 100 })
  for (let subject = 0; subject < 50_000; subject++) limits.consume(`flood ${subject}`, 60)
  const allowedCounts = Array.from({ length: 200 }, (_, subject) => {
    const calls = Array.from({ length: 70 }, () => limits.consume(`late ${subject}`, 60))
    return calls.filter(call => call.isAllowed).length
  })
  assert.ok(Math.max(...allowedCounts) <= 60, `${allowedCounts}`)
  // Subjects share buckets by chance: a few find some of their window used by one call each, hardly one by another late subject.
  assert.ok(allowedCounts.filter(count => count >= 50).length >= 190, `${allowedCounts}`)
})

test('a subject that was new while it was full gets no second window when there is room again', () => {
  const { limits, move } = openLimits({ subjectsMax: 1 })
  limits.consume('early', 60)
  move(30_000)
  for (let call = 0; call < 60; call++) limits.consume('late', 60)
  move(30_000)
  limits.consume('other', 60)
  move(29_999)
  assert.equal(limits.consume('late', 60).isAllowed, false)
  assert.equal(limits.peek('late', 60).remaining, 0)
  move(1)
  assert.equal(limits.consume('late', 60).remaining, 59)
})
