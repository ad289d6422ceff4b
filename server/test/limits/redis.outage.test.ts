import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Allowance, createMemoryLimits } from '../../src/limits/index.ts'
import { createRedisLimits } from '../../src/limits/redis.ts'
import { type RedisServer, startRedisServer, startRelay } from './redis-server.ts'

const backWithinMs = 5000
const answerWithinMs = 500

/** A store on a server of the test's own, and what it says about that server. */
async function arrange(
  t: TestContext,
  options: {
    before?: (server: RedisServer) => Promise<unknown>
    password?: string
    isRelayed?: boolean
  } = {},
) {
  const server = await startRedisServer(t)
  if (!server) return undefined
  await options.before?.(server)
  const changes: { isUp: boolean; reason: string | undefined }[] = []
  let wake = () => {}
  const relay = options.isRelayed ? await startRelay(t, server.url) : undefined
  const { url } = relay ?? server
  const limits = createRedisLimits({
    url: options.password ? url.replace('//', `//:${options.password}@`) : url,
    fallback: createMemoryLimits({}),
    onStateChange(isUp, reason) {
      changes.push({ isUp, reason })
      wake()
    },
  })
  t.after(() => limits.close())

  /** Waits for the last stated change to be this one, at most as long as is promised. */
  const until = async (isUp: boolean) => {
    const deadline = AbortSignal.timeout(backWithinMs)
    while (changes.at(-1)?.isUp !== isUp) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        deadline.onabort = () => reject(new Error(`not ${isUp ? 'back' : 'noticed'} in time`))
      })
    }
  }

  /** One call, which must be answered fast whatever the server does. */
  const take = async (subject: string, limit = 60): Promise<Allowance> => {
    const before = performance.now()
    const answer = await limits.take(subject, limit)
    const tookMs = performance.now() - before
    assert.equal(tookMs < answerWithinMs, true, `a call took ${tookMs} ms`)
    return answer
  }

  /** Calls one after another until the store is up. */
  const callUntilUp = async () => {
    const up = until(true)
    let isUp = false
    up.finally(() => {
      isUp = true
    }).catch(() => undefined)
    while (!isUp) {
      await take('patient', 1_000_000)
      await new Promise(setImmediate)
    }
    await up
  }

  if (!options.before) await until(true)
  return { server, relay, limits, changes, until, take, callUntilUp }
}

test('while the server is gone calls are counted in this process, and then on the server again', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, limits, take, until, callUntilUp, changes } = world
  await take('a')
  await take('a')
  await server.kill()
  await until(false)
  assert.deepEqual([(await take('a')).remaining, (await take('a')).remaining], [59, 58])
  const allowed = []
  for (let call = 0; call < 100; call++) allowed.push((await take('b')).isAllowed)
  assert.equal(allowed.filter(Boolean).length, 60, 'the limit holds in this process')

  await server.start()
  await callUntilUp()
  assert.equal((await take('c')).remaining, 59)
  assert.equal(await server.command('get {chancery:limit}:c'), '$1\r\n1')
  assert.equal((await take('a')).remaining, 57, 'what was counted here still counts')
  assert.equal((await take('b')).isAllowed, false, 'an empty server gives nobody another window')
  assert.equal((await limits.peek('a', 60)).remaining, 57)
  assert.equal((await limits.peek('b', 60)).isAllowed, false)
  assert.deepEqual(
    changes.map(change => change.isUp),
    [true, false, true],
  )
})

test('calls under way when the server dies are answered', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, take } = world
  server.hang()
  const calls = Array.from({ length: 100 }, () => take('a'))
  await server.kill()
  const answers = await Promise.all(calls)
  assert.equal(answers.filter(answer => answer.isAllowed).length, 60)
})

test('a hung server costs one wait, not one for each call', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, take, callUntilUp, changes } = world
  await take('a')
  server.hang()
  const before = performance.now()
  for (let call = 0; call < 200; call++) await take('a')
  assert.equal(performance.now() - before < 600, true)
  assert.equal(changes.at(-1)?.isUp, false)

  server.resume()
  await callUntilUp()
  assert.equal((await take('b')).remaining, 59)
  assert.equal(await server.command('get {chancery:limit}:b'), '$1\r\n1')
})

test('a server that hangs longer than its connections are kept is found again', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, take, callUntilUp } = world
  server.hang()
  const until = performance.now() + 3000
  while (performance.now() < until) {
    await take('a')
    await new Promise(setImmediate)
  }
  server.resume()
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit}:b'), '$1\r\n1')
})

test('a connection that falls silent is replaced', async t => {
  const world = await arrange(t, { isRelayed: true })
  if (!world) return
  const { server, relay, take, until, callUntilUp } = world
  relay?.silence()
  await take('a')
  await until(false)
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit}:b'), '$1\r\n1')
})

test('after a failover the store is found where its name then leads', async t => {
  const world = await arrange(t, { isRelayed: true })
  const promoted = await startRedisServer(t)
  if (!world || !promoted) return
  const { server, relay, take, callUntilUp } = world
  await server.command('replicaof 127.0.0.1 1')
  relay?.leadTo(promoted.url)
  await take('a')
  await callUntilUp()
  await take('b')
  assert.equal(await promoted.command('get {chancery:limit}:b'), '$1\r\n1')
})

test('a closed connection is noticed without a call, and replaced', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, changes, until } = world
  await server.command('client kill type normal')
  await until(false)
  assert.equal(changes.at(-1)?.reason, 'connection closed')
  await until(true)
})

test('a process that was busy does not take its server for hung', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, limits, changes } = world
  await limits.take('a', 60)
  const second = limits.take('a', 60)
  const busyUntil = performance.now() + 400
  while (performance.now() < busyUntil);
  assert.equal((await second).remaining, 58)
  assert.equal(await server.command('get {chancery:limit}:a'), '$1\r\n2')
  assert.equal(changes.length, 1)
})

test('a server that is away when the process starts is found when it comes', async t => {
  const world = await arrange(t, { before: server => server.kill() })
  if (!world) return
  const { server, take, until, callUntilUp, changes } = world
  assert.equal((await take('a')).remaining, 59)
  await until(false)
  assert.match(changes[0]?.reason ?? '', /ECONNREFUSED/)
  await server.start()
  await callUntilUp()
  await take('b')
  assert.equal(await server.command('get {chancery:limit}:b'), '$1\r\n1')
})

test('a flushed server begins new windows and counts as up', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, take, changes } = world
  await take('a')
  await server.command('flushall')
  await server.command('script flush')
  assert.equal((await take('a')).remaining, 59)
  assert.equal((await take('a')).remaining, 58)
  assert.equal(changes.length, 1)
})

test('a server whose clock was set back keeps nobody waiting for longer than a window', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, limits, take } = world
  for (let call = 0; call < 60; call++) await take('a')
  assert.equal((await take('a')).isAllowed, false)
  // What an hour back does to a time to live.
  await server.command('pexpire {chancery:limit}:a 3630000')
  assert.deepEqual([(await limits.peek('a', 60)).remaining, (await take('a')).remaining], [60, 59])
  assert.ok(Number((await server.command('pttl {chancery:limit}:a')).slice(1)) <= 60_000)
})

test('a server that reads but cannot write is away', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, take, callUntilUp, changes } = world
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
  const world = await arrange(t, {
    before: server => server.command('config set requirepass correct'),
    password: 'hunter2',
  })
  if (!world) return
  const { take, until, changes } = world
  assert.equal((await take('a')).remaining, 59)
  await until(false)
  assert.match(changes[0]?.reason ?? '', /WRONGPASS/)
  assert.equal(JSON.stringify(changes).includes('hunter2'), false)
})

test('peek is answered fast from this process too', async t => {
  const world = await arrange(t)
  if (!world) return
  const { server, limits, take } = world
  server.hang()
  const before = performance.now()
  assert.equal((await limits.peek('a', 60)).remaining, 60)
  assert.equal(performance.now() - before < answerWithinMs, true)
  await take('a')
  assert.equal((await limits.peek('a', 60)).remaining, 59)
})

test('close closes the fallback', async () => {
  let isClosed = false
  const fallback = {
    ...createMemoryLimits({}),
    close: async () => {
      isClosed = true
    },
  }
  await createRedisLimits({ url: 'redis://127.0.0.1:1', fallback }).close()
  assert.equal(isClosed, true)
})

for (const state of ['up', 'hung', 'gone', 'starting'] as const) {
  test(`close ends while the server is ${state}, and calls are still answered`, async t => {
    const world = await arrange(t, state === 'starting' ? { before: server => server.kill() } : {})
    if (!world) return
    const { server, limits, take, until } = world
    if (state === 'hung') server.hang()
    if (state === 'gone') {
      await server.kill()
      await until(false)
    }
    const before = performance.now()
    await limits.close()
    assert.equal(performance.now() - before < answerWithinMs, true)
    assert.equal((await take('a')).remaining, 59)
  })
}
