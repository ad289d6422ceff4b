import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseClock } from '../../src/store/database-clock.ts'

const hour = 3_600_000
/** Far less than the tested differences, and more than a busy machine needs between two lines. */
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1_000, `${actual} is not about ${expected}`)

test('before a reading the clock is that of this machine', () =>
  near(createDatabaseClock().now(), Date.now()))

test('a reading sets the clock, however wrong the clock of this machine is', () => {
  const clock = createDatabaseClock()
  const at = performance.now()
  clock.read(Date.now() + hour, { sentAt: at, receivedAt: at })
  near(clock.now(), Date.now() + hour)
})

test('a slow reading moves the clock only into its bounds', () => {
  const clock = createDatabaseClock()
  const at = performance.now()
  clock.read(Date.now(), { sentAt: at, receivedAt: at })
  const before = clock.now() - Date.now()
  // Read at some moment of the last five seconds: the clock is within the bounds.
  clock.read(Date.now() - 2_000, { sentAt: at - 5_000, receivedAt: performance.now() })
  near(clock.now() - Date.now(), before)
  clock.read(Date.now() - hour, { sentAt: at - 5_000, receivedAt: performance.now() })
  assert.ok(clock.now() < Date.now() - hour + 5_100, 'a clock that was set back is followed')
})
