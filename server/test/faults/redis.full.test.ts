import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type RedisServer, startRedisServer } from '../support/redis-server.ts'
import { isLong } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { callContinuously, type LimitedServer, startLimitedServer } from './support/counted-calls.ts'

const rounds = isLong ? 3 : 1
const lastsMs = isLong ? 4_000 : 500
const processCount = 2
const limit = 20
/** This many consecutive 429 show that a window is used up. */
const rejections = 10

/** Longer than in production, because a busy machine is not an outage. */
const limitsTimeoutMs = 1_000
const responseMsMax = 800 + limitsTimeoutMs
const noticedMsMax = 1_300 + limitsTimeoutMs
const sharedMsMax = 4_000 + 5 * limitsTimeoutMs
/** A request takes several processes in turn, each as late as this one. */
const turnsPerRequest = 10

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Processes that share their limits over a Redis of the test; undefined if Redis is not installed. */
async function startShared(t: TestContext) {
  const redis = await startRedisServer(t)
  if (!redis) return undefined
  const counters: LimitedServer[] = []
  t.after(() => Promise.all(counters.map(counter => counter.close())))
  for (let index = 0; index < processCount; index += 1)
    counters.push(
      await startLimitedServer({
        CHANCERY_DATABASE_URL: database.url,
        CHANCERY_VALKEY_URL: redis.url,
        CHANCERY_KEY_LIMIT: String(limit),
        TEST_TIMINGS: JSON.stringify({ limitsTimeoutMs }),
      }),
    )
  const [first] = counters
  assert.ok(first)
  const facts = [nation('n1', { player: 'p1' })]
  await first.operate('POST', '/facts', { facts }, { 'idempotency-key': 'first' })
  await untilShared(counters, true)
  return { redis, counters, first }
}

async function makeKey(counter: LimitedServer): Promise<string> {
  const player = `player-${Math.random().toString(36).slice(2)}`
  const made = await counter.operate('POST', '/keys', { player_id: player, name: 'test', scopes: [] })
  const { key } = (await made.json()) as { key?: string }
  assert.ok(key, String(made.status))
  return key
}

async function untilShared(counters: readonly LimitedServer[], isShared: boolean): Promise<void> {
  await until(
    async () => {
      const shared = await Promise.all(counters.map(counter => counter.isShared()))
      return shared.every(is => is === isShared)
    },
    `limits are ${isShared ? 'shared' : 'per process'}`,
  )
}

interface StoreFault {
  begin: (redis: RedisServer) => Promise<unknown>
  end: (redis: RedisServer) => Promise<unknown>
  lastsMs: number
  /** How many times its limit a key may use within one window, over all processes. */
  windowsMax: number
}

const faults: Record<string, StoreFault> = {
  'a store that is killed and restarts empty': {
    begin: redis => redis.kill(),
    end: redis => redis.start(),
    lastsMs,
    windowsMax: 1 + processCount,
  },
  'a store that hangs': {
    begin: async redis => redis.hang(),
    end: async redis => redis.resume(),
    lastsMs,
    windowsMax: 1 + processCount,
  },
  'a store that restarts at once': {
    async begin(redis) {
      await redis.kill()
      await redis.start()
    },
    end: async () => undefined,
    lastsMs: 0,
    windowsMax: 1 + processCount,
  },
  'a store that is flushed': {
    begin: redis => redis.command('flushall'),
    end: async () => undefined,
    lastsMs: 0,
    windowsMax: 2,
  },
}

/** Begins and ends a fault while one key sends requests to every process. */
async function runStoreFault(
  t: TestContext,
  { redis, counters, first }: { redis: RedisServer; counters: LimitedServer[]; first: LimitedServer },
  fault: StoreFault,
) {
  const lateness = monitorEventLoopDelay({ resolution: 10 })
  lateness.enable()
  const key = await makeKey(first)
  const calling = callContinuously(counters, key, limit)
  await calling.untilRejected(rejections)
  const beganAt = performance.now()
  let noticedMs = 0
  await fault.begin(redis)
  if (fault.lastsMs > 0) {
    await untilShared(counters, false)
    noticedMs = performance.now() - beganAt
    t.diagnostic(`metrics report it after ${Math.round(noticedMs)} ms`)
    await calling.untilRejected(rejections)
    await sleep(fault.lastsMs)
  }
  const ready = await fetch(`${first.served.url}/readyz`)
  assert.equal(ready.status, 200, 'the service continues without the store')
  const endedAt = performance.now()
  await fault.end(redis)
  await untilShared(counters, true)
  const sharedMs = performance.now() - endedAt
  await calling.untilRejected(rejections)
  const calls = await calling.stop()
  lateness.disable()
  const lateMs = (turnsPerRequest * lateness.max) / 1e6

  const longest = Math.max(...calls.map(({ tookMs }) => tookMs))
  const allowed = calls.filter(({ isAllowed }) => isAllowed).length
  t.diagnostic(
    `${calls.length} calls, ${allowed} allowed at a limit of ${limit}; the longest took ${Math.round(longest)} ms; shared again after ${Math.round(sharedMs)} ms`,
  )
  assert.ok(allowed <= fault.windowsMax * limit, `${allowed} requests were allowed`)
  assert.ok(longest < responseMsMax + lateMs, `a request took ${longest} ms`)
  assert.ok(noticedMs < noticedMsMax + lateMs, `noticed after ${noticedMs} ms`)
  assert.ok(sharedMs < sharedMsMax + lateMs, `shared after ${sharedMs} ms`)
  await assertExact(counters, first)
}

/** With the store, exactly the limit is allowed over all processes. */
async function assertExact(counters: LimitedServer[], first: LimitedServer): Promise<void> {
  const calling = callContinuously(counters, await makeKey(first), limit)
  await calling.untilRejected(rejections)
  const allowed = (await calling.stop()).filter(({ isAllowed }) => isAllowed).length
  assert.equal(allowed, limit)
}

test('limits hold per process while the store is unavailable, and over all processes when it is available', async t => {
  const world = await startShared(t)
  if (!world) return
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, fault] of Object.entries(faults)) {
      await t.test(`${name} allows at most the limit per process (${round})`, sub =>
        runStoreFault(sub, world, fault),
      )
    }
  }
})
