import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseClock } from '../../src/store/database-clock.ts'

const hour = 3_600_000
/** Far less than what is told apart here, and more than a busy machine needs between two lines. */
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1_000, `${actual} is not about ${expected}`)

test('before a reading it is the time of this machine', () => near(createDatabaseClock().now(), Date.now()))

test('a reading sets it, however far off this machine is', () => {
  const clock = createDatabaseClock()
  const at = performance.now()
  clock.read(Date.now() + hour, { sentAt: at, receivedAt: at })
  near(clock.now(), Date.now() + hour)
})

test('an answer that was long on its way moves it no further than its bounds ask', () => {
  const clock = createDatabaseClock()
  const at = performance.now()
  clock.read(Date.now(), { sentAt: at, receivedAt: at })
  const before = clock.now() - Date.now()
  // Read at some moment of the last five seconds: the clock as it is fits.
  clock.read(Date.now() - 2_000, { sentAt: at - 5_000, receivedAt: performance.now() })
  near(clock.now() - Date.now(), before)
  clock.read(Date.now() - hour, { sentAt: at - 5_000, receivedAt: performance.now() })
  assert.ok(clock.now() < Date.now() - hour + 5_100, 'set back, and followed')
})
