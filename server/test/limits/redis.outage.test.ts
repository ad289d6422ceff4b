import assert from 'node:assert/strict'
import { test as anyTest, type TestContext } from 'node:test'
import { createMemoryLimits } from '../../src/limits/memory.ts'
import type { RateLimitState } from '../../src/limits/rate-limit.ts'
import { createRedisLimits } from '../../src/limits/redis.ts'
import { type RedisServer, startRedisServer, withoutRedis } from '../support/redis-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const test = withoutRedis ? anyTest.skip : anyTest

/** Longer than in production: a busy machine is no outage. */
const commandTimeoutMs = 1_000
/** A call waits for one command at most. */
const resultWithinMs = 2.5 * commandTimeoutMs

interface Options {
  before?: (server: RedisServer) => Promise<unknown>
  password?: string
  isRelayed?: boolean
}

/** A store on a new Redis, and its reported changes of state. */
async function openStore(t: TestContext, options: Options = {}) {
  const server = await startRedisServer(t)
  assert.ok(server)
  await options.before?.(server)
  const changes: { isUp: boolean; reason: string | undefined }[] = []
  const relay = options.isRelayed ? await startTcpProxy(t, server.url) : undefined
  const { url } = relay ?? server
  const limits = createRedisLimits({
    namespace: 'test',
    url: options.password ? url.replace('//', `//:${options.password}@`) : url,
    fallback: createMemoryLimits({}),
    onStateChange: (isUp, reason) => changes.push({ isUp, reason }),
    commandTimeoutMs,
  })
  t.after(() => limits.close())

  /** Waits for the last stated change to be this one. */
  const untilIs = (isUp: boolean) =>
    until(() => changes.at(-1)?.isUp === isUp, `it is ${isUp ? 'back' : 'noticed'}`)

  /** One call, which must return in time whatever the server does. */
  const take = async (subject: string, limit = 60): Promise<RateLimitState> => {
    const before = performance.now()
    const state = await limits.consume(subject, limit)
    const tookMs = performance.now() - before
    assert.equal(tookMs < resultWithinMs, true, `a call took ${tookMs} ms`)
    return state
  }

  /** Calls one after another until the store is up. */
  const callUntilUp = () =>
    until(async () => {
      await take('patient', 1_000_000)
      return changes.at(-1)?.isUp === true
    }, 'it is back')

  if (!options.before) await untilIs(true)
  return { server, relay, limits, changes, untilIs, take, callUntilUp }
}

test('while the server is gone calls are counted in this process, and then on the server again', async t => {
  const { server, limits, take, untilIs, callUntilUp, changes } = await openStore(t)
  await take('a')
  await take('a')
  await server.kill()
  await untilIs(false)
  assert.deepEqual([(await take('a')).remaining, (await take('a')).remaining], [59, 58])
  const allowed = []
  for (let call = 0; call < 100; call++) allowed.push((await take('b')).isAllowed)
  assert.equal(allowed.filter(Boolean).length, 60, 'the limit holds in this process')

  await server.start()
  await callUntilUp()
  assert.equal((await take('c')).remaining, 59)
  assert.equal(await server.command('get {chancery:limit:test}:c'), '$1\r\n1')
  assert.equal((await take('a')).remaining, 57, 'calls counted in this process still count')
  assert.equal((await take('b')).isAllowed, false, 'an empty server begins no other window')
  assert.equal((await limits.peek('a', 60)).remaining, 57)
  assert.equal((await limits.peek('b', 60)).isAllowed, false)
  assert.deepEqual(
    changes.map(change => change.isUp),
    [true, false, true],
  )
})

test('requests in flight when the server dies get a result', async t => {
  const { server, take } = await openStore(t)
  server.hang()
  const calls = Array.from({ length: 100 }, () => take('a'))
  await server.kill()
  const states = await Promise.all(calls)
  assert.equal(states.filter(({ isAllowed }) => isAllowed).length, 60)
})

test('a hung server costs one wait, not one for each call', async t => {
  const { server, take, callUntilUp, changes } = await openStore(t)
  await take('a')
  server.hang()
  const before = performance.now()
  for (let call = 0; call < 200; call++) await take('a')
  assert.equal(performance.now() - before < 20 * commandTimeoutMs, true)
  assert.equal(changes.at(-1)?.isUp, false)

  server.resume()
  await callUntilUp()
  assert.equal((await take('b')).remaining, 59)
  assert.equal(await server.command('get {chancery:limit:test}:b'), '$1\r\n1')
})

test('a server that hangs longer than its connections are kept is used again', async t => {
  const { server, relay, take, callUntilUp } = await openStore(t, { isRelayed: true })
  server.hang()
  await take('a')
  await until(() => Number(relay?.connectionCount()) > 1, 'the connection was given up')
  server.resume()
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit:test}:b'), '$1\r\n1')
})

test('a connection that becomes unresponsive is replaced', async t => {
  const { server, relay, take, untilIs, callUntilUp } = await openStore(t, { isRelayed: true })
  relay?.pauseExisting()
  await take('a')
  await untilIs(false)
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit:test}:b'), '$1\r\n1')
})

test('after a failover the store uses the new address of its name', async t => {
  const { server, relay, take, callUntilUp } = await openStore(t, { isRelayed: true })
  const promoted = await startRedisServer(t)
  assert.ok(promoted)
  await server.command('replicaof 127.0.0.1 1')
  relay?.routeTo(promoted.url)
  await take('a')
  await callUntilUp()
  await take('b')
  assert.equal(await promoted.command('get {chancery:limit:test}:b'), '$1\r\n1')
})

test('a closed connection is noticed without a call, and replaced', async t => {
  const { server, changes, untilIs } = await openStore(t)
  await server.command('client kill type normal')
  await untilIs(false)
  assert.equal(changes.at(-1)?.reason, 'connection closed')
  await untilIs(true)
})

test('a process that was busy does not treat its server as hung', async t => {
  const { server, limits, changes } = await openStore(t)
  await limits.consume('a', 60)
  const second = limits.consume('a', 60)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * commandTimeoutMs)
  assert.equal((await second).remaining, 58)
  assert.equal(await server.command('get {chancery:limit:test}:a'), '$1\r\n2')
  assert.equal(changes.length, 1)
})

test('a server that is unavailable when the process starts is used when it comes up', async t => {
  const { server, take, untilIs, callUntilUp, changes } = await openStore(t, {
    before: server => server.kill(),
  })
  assert.equal((await take('a')).remaining, 59)
  await untilIs(false)
  assert.match(changes[0]?.reason ?? '', /ECONNREFUSED/)
  await server.start()
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit:test}:b'), '$1\r\n1')
})

test('a flushed server begins new windows and counts as up', async t => {
  const { server, take, changes } = await openStore(t)
  await take('a')
  await server.command('flushall')
  await server.command('script flush')
  assert.equal((await take('a')).remaining, 59)
  assert.equal((await take('a')).remaining, 58)
  assert.equal(changes.length, 1)
})

test('a server whose clock was set back makes no client wait longer than a window', async t => {
  const { server, limits, take } = await openStore(t)
  for (let call = 0; call < 60; call++) await take('a')
  assert.equal((await take('a')).isAllowed, false)
  // A clock step of an hour does this to a time to live.
  await server.command('pexpire {chancery:limit:test}:a 3630000')
  assert.deepEqual([(await limits.peek('a', 60)).remaining, (await take('a')).remaining], [60, 59])
  assert.ok(Number((await server.command('pttl {chancery:limit:test}:a')).slice(1)) <= 60_000)
})

test('a server that reads but cannot write counts as unavailable', async t => {
  const { server, take, callUntilUp, changes } = await openStore(t)
  await server.command('replicaof 127.0.0.1 1')
  await take('a')
  for (let call = 0; call < 100; call++) await take('a')
  assert.equal((await take('a')).isAllowed, false, 'the limit holds in this process')
  assert.equal(changes.at(-1)?.isUp, false)
  assert.match(changes.at(-1)?.reason ?? '', /READONLY/)
  await server.command('replicaof no one')
  await callUntilUp()
  assert.equal((await take('b')).remaining, 59)
})

test('a refused password is stated without the password', async t => {
  const before = (server: RedisServer) => server.command('config set requirepass correct')
  const { take, untilIs, changes } = await openStore(t, { before, password: 'hunter2' })
  assert.equal((await take('a')).remaining, 59)
  await untilIs(false)
  assert.match(changes[0]?.reason ?? '', /WRONGPASS/)
  assert.equal(JSON.stringify(changes).includes('hunter2'), false)
})

test('peek is fast from this process too', async t => {
  const { server, limits, take } = await openStore(t)
  server.hang()
  const before = performance.now()
  assert.equal((await limits.peek('a', 60)).remaining, 60)
  assert.equal(performance.now() - before < resultWithinMs, true)
  await take('a')
  assert.equal((await limits.peek('a', 60)).remaining, 59)
})

anyTest('close closes the fallback', async () => {
  let isClosed = false
  const fallback = {
    ...createMemoryLimits({}),
    close: async () => {
      isClosed = true
    },
  }
  await createRedisLimits({ url: 'redis://127.0.0.1:1', namespace: 'test', fallback }).close()
  assert.equal(isClosed, true)
})

for (const state of ['up', 'hung', 'gone', 'starting'] as const) {
  test(`close ends while the server is ${state}, and requests still get a result`, async t => {
    const options = state === 'starting' ? { before: (server: RedisServer) => server.kill() } : {}
    const { server, limits, take, untilIs } = await openStore(t, options)
    if (state === 'hung') server.hang()
    if (state === 'gone') {
      await server.kill()
      await untilIs(false)
    }
    const before = performance.now()
    await limits.close()
    assert.equal(performance.now() - before < resultWithinMs, true)
    assert.equal((await take('a')).remaining, 59)
  })
}
