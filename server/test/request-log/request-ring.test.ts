import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createRequestRing,
  type LoggedRequest,
  type ServedRequest,
} from '../../src/request-log/request-ring.ts'
import { randomRuns } from '../support/tier.ts'
import { loggedAt, servedRequest } from './test-requests.ts'

test('the ring returns its requests oldest first, and reports how many of the oldest it lost', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 1, arbitrary: fc.constant('take' as const) },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 40 }), (capacity, steps) => {
      const ring = createRequestRing(capacity)
      let waiting: LoggedRequest[] = []
      let at = 0
      for (const notes of [...steps, 'take' as const]) {
        if (notes === 'take') {
          const { ofKeys: calls, droppedCount: lost } = ring.take(capacity)
          assert.deepEqual(calls, waiting.slice(-capacity))
          assert.equal(lost, waiting.length - calls.length)
          waiting = []
          continue
        }
        for (let note = 0; note < notes; note += 1) {
          const request: ServedRequest = servedRequest({ status: 200 + note, durationMs: note / 7 })
          at += 1
          ring.add(request, at)
          waiting.push(loggedAt(at, request))
        }
      }
    }),
    { numRuns: randomRuns(1_000) },
  )
})

test('an id of the greatest length is kept', () => {
  const ring = createRequestRing(3)
  const ids = ['a'.repeat(64), 'b', 'c'.repeat(64)]
  for (const [at, requestId] of ids.entries()) ring.add(servedRequest({ requestId }), at)
  assert.deepEqual(
    ring.take(3).ofKeys.map(({ requestId }) => requestId),
    ids,
  )
})

test('taken requests do not change when the ring is reused', () => {
  const ring = createRequestRing(2)
  const first = servedRequest()
  ring.add(first, 1)
  const { ofKeys: calls } = ring.take(2)
  for (let at = 2; at < 6; at += 1) ring.add(servedRequest(), at)
  assert.deepEqual(calls, [loggedAt(1, first)])
})
