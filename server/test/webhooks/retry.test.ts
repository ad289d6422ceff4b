import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhooks } from '@chancery/contract'
import fc from 'fast-check'
import { nextAttemptMs } from '../../src/webhooks/attempt.ts'

const atMs = Date.parse('2026-06-01T12:00:00Z')
const failed = (failures: number, retryAfter: string | null = null) => ({ failures, atMs, retryAfter })
const hour = 3_600

test('delays grow from seconds to a day, and then the delivery fails', () => {
  const waits = Array.from({ length: 10 }, (_, index) => {
    const next = nextAttemptMs(failed(index + 1), () => 0)
    return next === null ? null : (next - atMs) / 1000
  })
  const table = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  assert.deepEqual(waits, [...table, null])
})

test('jitter adds up to a fifth of a delay, and never subtracts', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, chance) => {
        const base = Number(webhooks.retryDelaysSeconds[failures - 1]) * 1000
        const wait = Number(nextAttemptMs(failed(failures), () => chance)) - atMs
        assert.ok(wait >= base && wait <= base * 1.2)
      },
    ),
  )
})

test('Retry-After is honoured between the delay and twice the delay', () => {
  const waitOf = (failures: number, retryAfter: string) =>
    (Number(nextAttemptMs(failed(failures, retryAfter), () => 0.5)) - atMs) / 1000
  assert.equal(waitOf(2, '1'), 300)
  assert.equal(waitOf(2, '450'), 450)
  assert.equal(waitOf(2, '100000'), 600)
  assert.equal(waitOf(2, 'Mon, 01 Jun 2026 12:07:00 GMT'), 420)
  assert.equal(waitOf(2, 'Mon, 01 Jun 2020 12:07:00 GMT'), 300)
  for (const strange of ['', 'soon', '-5', '1e3', '0x10', 'NaN', '2026'.repeat(200)]) {
    const wait = waitOf(2, strange)
    assert.ok(wait === 330 || wait === 600, `${strange}: ${wait}`)
  }
})
