import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { test as anyTest, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createMemoryLimits } from '../../src/limits/memory.ts'
import type { LimitStore } from '../../src/limits/rate-limit.ts'
import { createRedisLimits } from '../../src/limits/redis.ts'
import { redisUrl, withoutRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { connectedLimits, consumeConcurrently } from './connected-limits.ts'

const isMissing = withoutRedis && !process.env.CHANCERY_TEST_VALKEY_URL
const test = isMissing ? anyTest.skip : anyTest

/** Stores on one server and an unused subject. */
async function openStores(t: TestContext, storeCount: number, windowMs?: number) {
  const url = await redisUrl(t)
  assert.ok(url)
  const stores: LimitStore[] = []
  for (let index = 0; index < storeCount; index++) stores.push(await connectedLimits(url, windowMs))
  t.after(() => Promise.all(stores.map(store => store.close())))
  const [limits] = stores
  assert.ok(limits)
  return { url, stores, limits, subject: randomUUID() }
}

test('of 500 calls at once over four connections exactly the limit passes', async t => {
  const { stores, subject } = await openStores(t, 4)
  assert.equal(await consumeConcurrently(stores, { subject, limit: 60, times: 500 }), 60)
})

test('of 500 calls at once over two processes exactly the limit passes', async t => {
  const { url, subject, limits } = await openStores(t, 1)
  const taking = [1, 2].map(() => fork(new URL('./consuming-process.ts', import.meta.url)))
  const connected = taking.map(child => once(child, 'message'))
  for (const child of taking) child.send({ url, subject, limit: 60, times: 250 })
  await Promise.all(connected)

  const counted = taking.map(child => once(child, 'message'))
  for (const child of taking) child.send('take')
  const [first, second] = await Promise.all(counted)
  assert.equal(first?.[0] + second?.[0], 60)
  assert.equal((await limits.peek(subject, 60)).remaining, 0)
})

test('stores of two namespaces on one server count by themselves', async t => {
  const { url, subject, limits } = await openStores(t, 1)
  const other = await connectedLimits(url, 60_000, 'other')
  t.after(() => other.close())
  for (const remaining of [1, 0])
    for (const store of [limits, other]) assert.equal((await store.consume(subject, 2)).remaining, remaining)
  assert.equal((await limits.consume(subject, 2)).isAllowed, false)
})

test('remaining includes the call itself, and every process sees the same window', async t => {
  const { stores, subject } = await openStores(t, 2)
  const [here, there] = stores
  assert.ok(here && there)
  const before = Date.now()
  const first = await here.consume(subject, 60)
  const second = await there.consume(subject, 60)
  assert.deepEqual([first.remaining, second.remaining], [59, 58])
  assert.deepEqual([first.isAllowed, first.limit, first.retryAfterSeconds], [true, 60, 60])
  assert.equal(first.resetAt >= before + 60_000 - 5 && first.resetAt <= Date.now() + 60_000, true)
  // Each adds the rest of the window to the time of its response.
  assert.equal(Math.abs(second.resetAt - first.resetAt) <= Date.now() - before + 5, true)
})

test('a refused call neither counts nor lengthens the wait', async t => {
  const { limits, subject } = await openStores(t, 1)
  const first = await limits.consume(subject, 2)
  for (let call = 0; call < 10; call++) await limits.consume(subject, 2)
  await wait(200)
  let refused = await limits.consume(subject, 2)
  assert.deepEqual([refused.isAllowed, refused.remaining], [false, 0])
  // On a busy machine some responses are late.
  await until(async () => {
    refused = await limits.consume(subject, 2)
    return refused.resetAt - first.resetAt < 100
  }, 'the end of the window has not moved')
  assert.equal((await limits.consume(subject, 5)).remaining, 2, 'refused calls hold against the raised limit')
  assert.equal(
    (await limits.consume(subject, 1)).isAllowed,
    false,
    'calls so far hold against a lowered limit',
  )
})

test('a call takes from both windows that it must fit, or from neither', async t => {
  const { stores, limits, subject } = await openStores(t, 4)
  const player = { subject: `player:${subject}`, limit: 25 }
  const keys = ['a', 'b', 'c', 'd'].map(name => `${subject}:${name}`)
  const calls = await Promise.all(
    Array.from({ length: 400 }, (_, index) => {
      const [store, key] = [stores[index % 4], keys[Math.floor(index / 4) % 4]]
      assert.ok(store && key)
      return store.consume(key, 10, player)
    }),
  )
  assert.equal(calls.filter(({ isAllowed }) => isAllowed).length, 25)
  assert.ok(calls.every(({ limit }) => limit === 10))
  const left = await Promise.all(keys.map(async key => (await limits.peek(key, 10)).remaining))
  assert.equal(
    left.reduce((sum, each) => sum + 10 - each, 0),
    25,
    'a refused call took from the window of its key',
  )
  const refused = await limits.consume(keys[0] ?? '', 10, player)
  assert.deepEqual([refused.isAllowed, refused.remaining], [false, 0])
  const other = await limits.consume(keys[0] ?? '', 1_000, { ...player, limit: 26 })
  assert.deepEqual([other.isAllowed, other.remaining], [true, 0])
})

test('peek takes nothing and begins no window', async t => {
  const { limits, subject } = await openStores(t, 1)
  const unknown = await limits.peek(subject, 60)
  assert.deepEqual([unknown.remaining, unknown.isAllowed, unknown.retryAfterSeconds], [60, true, 60])
  await limits.consume(subject, 2)
  assert.equal((await limits.peek(subject, 2)).remaining, 1)
  await limits.consume(subject, 2)
  for (let look = 0; look < 3; look++) {
    const spent = await limits.peek(subject, 2)
    assert.deepEqual([spent.remaining, spent.isAllowed], [0, false])
  }
})

test('when the window ends the next one begins, though calls were refused all the time', async t => {
  const { limits, subject } = await openStores(t, 1, 1000)
  const first = await limits.consume(subject, 1)
  let next = await limits.consume(subject, 1)
  await until(async () => {
    next = await limits.consume(subject, 1)
    return next.isAllowed
  }, 'the next one begins')
  assert.equal(next.resetAt > first.resetAt, true)
  assert.equal(Date.now() >= first.resetAt - 20, true, 'the window ended early')
})

test('the first calls of a process wait for its connection', async t => {
  const { url, subject } = await openStores(t, 1)
  const stores = [1, 2, 3, 4].map(() =>
    createRedisLimits({
      url,
      namespace: 'test',
      fallback: createMemoryLimits({}),
      commandTimeoutMs: 60_000,
    }),
  )
  t.after(() => Promise.all(stores.map(store => store.close())))
  assert.equal(await consumeConcurrently(stores, { subject, limit: 60, times: 500 }), 60)
})

test('a valkey:// address is accepted', async t => {
  const { url, subject } = await openStores(t, 1)
  const limits = await connectedLimits(url.replace(/^redis/, 'valkey'))
  t.after(() => limits.close())
  assert.equal((await limits.consume(subject, 60)).remaining, 59)
})

anyTest('a window of other than whole seconds is refused', () => {
  const fallback = createMemoryLimits({})
  for (const windowMs of [0, 500, 1500, Number.NaN]) {
    assert.throws(
      () => createRedisLimits({ url: 'redis://127.0.0.1:1', namespace: 'test', fallback, windowMs }),
      RangeError,
    )
  }
})
