import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRequestRing, type LoggedRequest } from '../../src/request-log/request-ring.ts'
import { anonymousRequest, loggedAt, servedRequest } from './test-requests.ts'

const someCalls = fc.array(fc.constantFrom('key_1', 'key_2', 'key_3', null), { maxLength: 120 }).map(keyIds =>
  keyIds.map((keyId, index) =>
    // Several calls in each millisecond.
    loggedAt(
      Math.floor(index / 4),
      keyId === null ? anonymousRequest('192.0.2.1') : servedRequest({ keyId }),
    ),
  ),
)

function sampleRequests(calls: readonly LoggedRequest[], max: number) {
  const ring = createRequestRing(calls.length + 1)
  for (const call of calls) ring.add({ ...call, isDeprecated: false }, call.at)
  return ring.take(max)
}

test('all requests are logged in order while there is room', () => {
  fc.assert(
    fc.property(someCalls, calls => {
      const { ofKeys, ofAddresses, droppedCount: leftOut } = sampleRequests(calls, calls.length)
      assert.equal(leftOut, 0)
      assert.deepEqual(
        ofAddresses,
        calls.filter(({ keyId }) => keyId === null),
      )
      for (const key of ['key_1', 'key_2', 'key_3'])
        assert.deepEqual(
          ofKeys.filter(({ keyId }) => keyId === key),
          calls.filter(({ keyId }) => keyId === key),
        )
      assert.ok(ofKeys.every(({ at }, index) => index === 0 || at >= Number(ofKeys[index - 1]?.at)))
    }),
  )
})

test('without room each key keeps its newest requests in turn, and requests without a key are dropped first', () => {
  fc.assert(
    fc.property(someCalls, fc.integer({ min: 0, max: 130 }), (calls, max) => {
      const { ofKeys, ofAddresses, droppedCount: leftOut } = sampleRequests(calls, max)
      assert.equal(ofKeys.length + ofAddresses.length + leftOut, calls.length)
      assert.ok(ofKeys.length + ofAddresses.length <= max)
      const withKeys = calls.filter(({ keyId }) => keyId !== null)
      assert.equal(ofKeys.length, Math.min(withKeys.length, max))
      const lines = new Map<string | null, number>()
      for (const key of ['key_1', 'key_2', 'key_3']) {
        const own = withKeys.filter(({ keyId }) => keyId === key)
        const kept = ofKeys.filter(({ keyId }) => keyId === key)
        assert.deepEqual(kept, own.slice(own.length - kept.length), 'the newest ones')
        if (kept.length < own.length) lines.set(key, kept.length)
      }
      const counts = [...lines.values()]
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1 || counts.length < 2, 'as many of each')
    }),
  )
})

test('a key with a flood of requests gets no more rows than a player is shown', () => {
  const calls = Array.from({ length: 1_000 }, (_, at) => loggedAt(at, servedRequest()))
  const { ofKeys, droppedCount: leftOut } = sampleRequests(calls, 2_000)
  assert.deepEqual(ofKeys, calls.slice(-200))
  assert.equal(leftOut, 800)
})
