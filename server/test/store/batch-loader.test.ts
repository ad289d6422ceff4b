import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchLoader } from '../../src/store/batch-loader.ts'

/** A loader whose batches are resolved by the test. */
function openLoader(maxBatchSize?: number) {
  const batches: (readonly string[])[] = []
  const pending: PromiseWithResolvers<void>[] = []
  const loadMany = async (keys: readonly string[]) => {
    batches.push(keys)
    const loaded = Promise.withResolvers<void>()
    pending.push(loaded)
    await loaded.promise
    return new Map(keys.filter(key => key !== 'unknown').map(key => [key, `${key} found`]))
  }
  const load = createBatchLoader(loadMany, maxBatchSize)
  return { load, batches, next: () => pending.shift() ?? assert.fail('no batch is pending') }
}

const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('keys that are requested while a batch is in flight are loaded together in the next, and equal keys once', async () => {
  const { load, batches, next } = openLoader()
  const first = load('a')
  const others = [load('b'), load('c'), load('b'), load('unknown'), load('a')]
  next().resolve()
  assert.equal(await first, 'a found')
  await nextTick()
  next().resolve()
  assert.deepEqual(await Promise.all(others), ['b found', 'c found', 'b found', undefined, 'a found'])
  assert.deepEqual(batches, [['a'], ['b', 'c', 'unknown', 'a']])
})

test('a key that is requested after a batch was sent is not loaded by that batch', async () => {
  const { load, batches, next } = openLoader()
  const before = load('a')
  const after = load('a')
  next().resolve()
  await before
  await nextTick()
  assert.deepEqual(batches, [['a'], ['a']])
  next().resolve()
  assert.equal(await after, 'a found')
})

test('no batch is larger than the maximum', async () => {
  const { load, batches, next } = openLoader(2)
  const all = ['a', 'b', 'c', 'd'].map(load)
  while (batches.flat().length < all.length) {
    next().resolve()
    await nextTick()
  }
  next().resolve()
  await Promise.all(all)
  assert.deepEqual(batches, [['a'], ['b', 'c'], ['d']])
})

test('a failed batch rejects all requests that wait, and later ones are loaded', async () => {
  const { load, next } = openLoader()
  const waiting = [load('a'), load('b')]
  next().reject(new Error('unavailable'))
  for (const each of waiting) await assert.rejects(each)
  await nextTick()
  const later = load('c')
  next().resolve()
  assert.equal(await later, 'c found')
})
