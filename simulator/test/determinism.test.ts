import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Batch, createWorld, linesOf, simulateHistory, type WorldOptions } from '../src/index.ts'

const options: WorldOptions = { nations: 120, days: 20, seed: 11, endsAt: '2026-06-01T12:30:00Z' }

function fingerprintOf(batches: Iterable<Batch>): string {
  const hash = createHash('sha256')
  for (const batch of batches) hash.update(linesOf(batch))
  return hash.digest('hex')
}
const hashOf = (of: WorldOptions) => fingerprintOf(simulateHistory(of))

test('the same seed gives the same bytes', () => {
  assert.equal(hashOf(options), hashOf({ ...options }))
})

test('another seed gives another world', () => {
  assert.notEqual(hashOf(options), hashOf({ ...options, seed: 12 }))
})

test('a world can repeat its history, and continues it in the same way', () => {
  const world = createWorld(options)
  const fingerprint = () => fingerprintOf(world.history())
  assert.equal(fingerprint(), fingerprint())
  const other = createWorld(options)
  for (const _ of other.history());
  const next = '2026-06-01T12:31:00Z'
  assert.equal(linesOf(world.tick(next)), linesOf(other.tick(next)))
})

test('batch ids are unique, also across worlds', () => {
  const ids = (of: WorldOptions) => [...simulateHistory(of)].map(({ id }) => id)
  const all = [...ids(options), ...ids({ ...options, seed: 12 }), ...ids({ ...options, nations: 121 })]
  assert.equal(new Set(all).size, all.length)
})

test('a restarted world never reuses an id of an earlier run’s ticks', () => {
  const made = (moments: string[]) => {
    const world = createWorld(options)
    for (const _ of world.history());
    return moments.flatMap(moment =>
      world.tick(moment).facts.flatMap(fact => {
        if (fact.op !== 'put' || !['battle', 'news_item'].includes(fact.resource)) return []
        // A siege of the history may end in a tick.
        return 'id' in fact.data && !('ended_at' in fact.data) ? [fact.data.id] : []
      }),
    )
  }
  const moments = (from: number) =>
    Array.from({ length: 40 }, (_, index) =>
      new Date(Date.parse(options.endsAt) + from + index * 5000).toISOString(),
    )
  const first = made(moments(5000))
  const second = made(moments(3_600_000))
  assert.ok(first.length >= 20)
  assert.deepEqual(
    second.filter(id => first.includes(id)),
    [],
  )
})

test('a world cannot tick before its history was consumed', () => {
  assert.throws(() => createWorld(options).tick('2026-06-01T13:00:00Z'), /history/)
  assert.throws(() => createWorld({ ...options, endsAt: 'yesterday' }), RangeError)
  assert.throws(() => createWorld({ ...options, nations: 0 }), RangeError)
})
