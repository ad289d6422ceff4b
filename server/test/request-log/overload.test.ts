import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { minuteMs, openTestRequestLog } from './test-request-log.ts'
import { anonymousRequest, servedRequest } from './test-requests.ts'

/** Small enough to overflow. */
const bounds = { ringCapacity: 50, rowsPerWrite: 40, combinationsMax: 30, addressesMax: 20 }

/** A read waits as long as in a service. */
const readsSoon = { ...bounds, flushTimeoutMs: 1_000 }

type Fixture = Awaited<ReturnType<typeof openTestRequestLog>>

/** Records requests of more keys and addresses than the limits. */
function flood({ note, at }: Fixture, calls: number): void {
  for (let call = 0; call < calls; call += 1) {
    at(Math.floor(call / 100) * minuteMs)
    if (call % 3 === 0) note(anonymousRequest(`192.0.${call % 7}.${call % 50}`, { status: 401 }))
    else note(servedRequest({ keyId: `key_${call % 40}`, status: call % 2 === 0 ? 200 : 429 }))
  }
}

const sum = async ({ rows }: Fixture, column: string, table: string): Promise<number> => {
  const [row] = await rows<{ sum: string }>(`select sum(${column}) as sum from chancery_access.${table}`)
  return Number(row?.sum ?? 0)
}

/** Each request is recorded once or counted as dropped. */
async function assertAccounted(fixture: Fixture, noted: number): Promise<void> {
  const { dropped, count } = fixture
  const lines = (await count('key_request')) + (await count('address_request'))
  assert.equal(lines + dropped.line, noted, 'lines and dropped lines')
  const counted =
    (await sum(fixture, 'calls', 'key_usage_hour')) + (await sum(fixture, 'calls', 'address_usage_hour'))
  assert.equal(counted + dropped.count, noted, 'counted and dropped calls')
  assert.equal(await sum(fixture, 'calls', 'key_usage_minute'), await sum(fixture, 'calls', 'key_usage_hour'))
}

/** Locks a table. Returns a function that unlocks it. */
async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  // A failed test drops the database while it is locked.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`begin; lock table chancery_access.${table}`)
  return () => client.end()
}

test('without overload nothing is dropped', async t => {
  const fixture = await openTestRequestLog(t)
  flood(fixture, 900)
  await fixture.write()
  assert.deepEqual(fixture.dropped, { line: 0, count: 0 })
  await assertAccounted(fixture, 900)
})

test('while a table is locked requests are recorded as fast as ever, within bounds, and written afterwards', async t => {
  const fixture = await openTestRequestLog(t, readsSoon)
  const tookMs = async (work: () => unknown) => {
    const startedAt = performance.now()
    await work()
    return performance.now() - startedAt
  }
  // How long both take on this machine without a lock.
  const free = await openTestRequestLog(t, readsSoon)
  const floodMs = await tookMs(() => flood(free, 5_000))
  const readMs = await tookMs(free.write)
  flood(fixture, 30)
  const unlock = await lockTable(fixture.url, 'key_usage_hour')
  const lockedReadMs = await tookMs(fixture.write)
  assert.ok(lockedReadMs < 1_900 + 10 * readMs, `a read does not wait long: ${lockedReadMs} ms`)
  const lockedFloodMs = await tookMs(() => flood(fixture, 5_000))
  assert.ok(lockedFloodMs < 200 + 10 * floodMs, `${lockedFloodMs} ms, and ${floodMs} ms without a lock`)
  await fixture.write()
  await unlock()
  await fixture.write()
  await fixture.write()
  const kept = (await fixture.count('key_request')) + (await fixture.count('address_request'))
  assert.ok(kept <= 30 + bounds.rowsPerWrite, `${kept} lines were kept`)
  assert.ok(fixture.dropped.line > 0 && fixture.dropped.count > 0)
  await assertAccounted(fixture, 5_030)

  const before = { ...fixture.dropped }
  flood(fixture, 30)
  await fixture.write()
  assert.deepEqual(fixture.dropped, before, 'it has recovered')
  await assertAccounted(fixture, 5_060)
})

test('while the database is unavailable nothing within the bounds is lost', async t => {
  const database = await createTestDatabase()
  const proxy = await startTcpProxy(t, database.url)
  const direct = await openTestRequestLog(t, { databaseUrl: database.url })
  const fixture = await openTestRequestLog(t, { ...bounds, databaseUrl: proxy.url })
  t.after(() => database.drop())
  await fixture.write()
  proxy.cut()
  const early = Array.from({ length: 10 }, () => servedRequest({ operation: 'wars.list' }))
  fixture.note(...early)
  for (let round = 0; round < 5; round += 1) {
    await fixture.write()
    fixture.note(servedRequest())
  }
  assert.ok(fixture.errors.length >= 5, 'each failure is reported')
  proxy.restore()
  await fixture.write()
  assert.deepEqual(fixture.dropped, { line: 0, count: 0 })
  const usage = await direct.account.usage('key_1')
  assert.deepEqual(usage.operations, [
    { operation: 'wars.list', calls: 10, deprecated: 0 },
    { operation: 'nations.get', calls: 5, deprecated: 0 },
  ])
  assert.equal((await direct.account.calls({ keyIds: ['key_1'], limit: 200 })).length, 15)
})

test('a batch that the database rejects is dropped, and later ones are written', async t => {
  const fixture = await openTestRequestLog(t)
  await fixture.rows('alter table chancery_access.key_usage_hour add check (status <> 299)')
  fixture.note(servedRequest({ status: 299 }), servedRequest(), anonymousRequest('192.0.2.1'))
  await fixture.write()
  assert.deepEqual(fixture.dropped, { line: 3, count: 3 })
  assert.equal(fixture.errors.length, 1)
  fixture.note(servedRequest())
  await fixture.write()
  await assertAccounted(fixture, 4)
  assert.equal(await fixture.count('key_request'), 1, 'a rejected batch leaves no rows')
})

test('a commit without a response is not repeated: no request is counted twice', async t => {
  const home = await openTestRequestLog(t)
  const { access } = home.pools
  let responds = false
  const fixture = await openTestRequestLog(t, {
    databaseUrl: home.url,
    pool: {
      ...access,
      async transaction(work) {
        const result = await access.transaction(work)
        if (!responds) throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })
        return result
      },
    },
  })
  fixture.note(servedRequest(), servedRequest())
  await fixture.write()
  responds = true
  await fixture.write()
  assert.equal(await sum(fixture, 'calls', 'key_usage_hour'), 2)
  assert.equal(await fixture.count('key_request'), 2)
  assert.deepEqual(fixture.dropped, { line: 2, count: 2 }, 'they may be missing')
})

test('a read during a flush includes requests recorded meanwhile', async t => {
  const fixture = await openTestRequestLog(t)
  const unlock = await lockTable(fixture.url, 'key_request')
  fixture.note(servedRequest())
  const first = fixture.write()
  fixture.note(servedRequest())
  const second = fixture.account.calls({ keyIds: ['key_1'], limit: 200 })
  fixture.note(servedRequest())
  const third = fixture.account.calls({ keyIds: ['key_1'], limit: 200 })
  await unlock()
  await first
  assert.deepEqual([(await second).length, (await third).length], [3, 3])
})
