import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTrendOf } from '../src/report/memory-trend.ts'

/** A sample every five seconds for half an hour. */
const soak = (bytesAt: (second: number) => number) =>
  Array.from({ length: 360 }, (_, index) => ({ second: index * 5, bytes: bytesAt(index * 5) }))

test('a process that warms up and then stays as it is does not grow', () => {
  const trend = memoryTrendOf(soak(second => (second < 300 ? 100e6 + second * 1e5 : 130e6)))
  assert.equal(trend.perHour, 0)
  assert.deepEqual([trend.early, trend.late, trend.most], [130e6, 130e6, 130e6])
  assert.equal(trend.minutes.length, 30)
  assert.equal(trend.minutes[29], 130e6)
})

test('a process that grows all the time is seen to, however much its samples waver', () => {
  const trend = memoryTrendOf(soak(second => 100e6 + second * 1e4 + (second % 10 ? 1e6 : -1e6)))
  assert.ok(Math.abs(trend.perHour - 36e6) < 2e5, `${trend.perHour}`)
  assert.ok(trend.late > trend.early)
})

test('one sample is a trend that does not rise', () => {
  const trend = memoryTrendOf([{ second: 3, bytes: 5e6 }])
  assert.deepEqual(trend, { minutes: [5e6], most: 5e6, early: 5e6, late: 5e6, perHour: 0 })
})
