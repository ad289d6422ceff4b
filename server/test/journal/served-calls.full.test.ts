import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { BusyKey } from '../../src/journal/queries.ts'
import { exchange } from '../http/raw.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { metricsOf } from '../webhooks/metrics-of.ts'
import { openTestJournal, total } from './test-journal.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

/**
 * Calls at once: on so many connections, each with so many calls one behind the other, few enough to be let in. Returns how many were answered with which
 * status to the key. Where a busy process cannot say whose key it is, that is 503 to an address, and not among them.
 */
async function callAtOnce(
  url: string,
  key: string,
  connections: number,
  calls: number,
): Promise<{ status: number; calls: number }[]> {
  const lines = ['GET /api/v1/game HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, '', '']
  const text = lines.join('\r\n').repeat(calls)
  const exchanges = await Promise.all(
    Array.from({ length: connections }, () => exchange(url, text, { count: calls })),
  )
  const answers = exchanges.flatMap(each => each.answers)
  assert.equal(answers.length, connections * calls)
  return [200, 429]
    .map(status => ({ status, calls: answers.filter(answer => answer.status === status).length }))
    .filter(each => each.calls > 0)
    .sort((one, other) => other.calls - one.calls)
}

async function busyKey(server: TestServer, keyId: string): Promise<BusyKey | undefined> {
  const response = await server.operate('GET', '/usage/keys')
  const { data } = (await response.json()) as { data: BusyKey[] }
  return data.find(({ key_id }) => key_id === keyId)
}

/** A machine that is busy may take more than the second that a reader waits. */
async function untilCounted(server: TestServer, keyId: string, calls: number): Promise<BusyKey> {
  let busy: BusyKey | undefined
  await until(async () => {
    busy = await busyKey(server, keyId)
    return busy?.calls === calls
  }, `${calls} calls are counted`)
  assert.ok(busy)
  return busy
}

test('thousands of concurrent requests are counted exactly, by minute and hour, with limited ones', async t => {
  const connections = tier === 'quick' ? 50 : 200
  const { id, key } = await chancery.makeKey({ player_id: 'p1' }, undefined, { limit: 5 * connections })
  const answered = await callAtOnce(chancery.url, key, connections, 25)
  const limited = answered.find(({ status }) => status === 429)?.calls ?? 0
  assert.ok(limited > 0)
  const busy = await untilCounted(chancery, id, total(answered))
  assert.equal(busy.limited, limited)
  const fixture = await openTestJournal(t, { databaseUrl: chancery.databaseUrl, now: Date.now })
  const { minutes, hours, operations, statuses } = await fixture.account.usage(id)
  assert.deepEqual(statuses, answered)
  assert.deepEqual(operations, [{ operation: 'game.get', calls: total(answered), deprecated: 0 }])
  for (const spans of [minutes, hours]) {
    assert.equal(total(spans), total(answered))
    assert.equal(
      spans.reduce((sum, span) => sum + span.limited, 0),
      limited,
    )
  }
  assert.deepEqual(await fixture.account.callsToday([id]), new Map([[id, total(answered)]]))
})

test('two servers on one database add up', async t => {
  const other = await startTestServer({}, { databaseUrl: chancery.databaseUrl })
  t.after(() => other.close())
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const answered = await Promise.all([
    callAtOnce(chancery.url, key, 10, 25),
    callAtOnce(other.url, key, 14, 25),
  ])
  for (const server of [chancery, other]) await untilCounted(server, id, total(answered.flat()))
})

test('a closing server writes what it recorded', async () => {
  const other = await startTestServer({}, { databaseUrl: chancery.databaseUrl })
  const { id, key } = await other.makeKey({ player_id: 'p1' })
  const answered = await callAtOnce(other.url, key, 1, 10)
  await other.close()
  assert.equal((await busyKey(chancery, id))?.calls, total(answered))
})

test('requests continue while the log cannot be written, and are all counted afterwards', async t => {
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  t.after(() => client.end())
  const answered: { status: number; calls: number }[] = []
  const slowestMs = async (calls: number) => {
    let slowest = 0
    for (let call = 0; call < calls; call += 1) {
      const calledAt = performance.now()
      answered.push(...(await callAtOnce(chancery.url, key, 1, 1)))
      slowest = Math.max(slowest, performance.now() - calledAt)
    }
    return slowest
  }
  const usualMs = await slowestMs(100)
  await client.query('begin; lock table chancery_access.key_hour, chancery_access.key_call')
  answered.push(...(await callAtOnce(chancery.url, key, 2, 10)))
  // The writing that is going on waits for the table until its time is over.
  const looking = chancery.operate('GET', '/requests/req_1')
  const lockedMs = await slowestMs(200)
  assert.ok(lockedMs < 500 + 5 * usualMs, `a call took ${lockedMs} ms, and ${usualMs} ms before`)
  await looking
  await client.query('rollback')
  await untilCounted(chancery, id, total(answered))
  const metrics = await metricsOf(chancery)
  assert.equal(metrics.get('chancery_request_log_dropped_total{what="count"}'), 0)
})

test('rows above the limit per key and write are counted as dropped', async () => {
  const droppedLines = async () =>
    Number((await metricsOf(chancery)).get('chancery_request_log_dropped_total{what="line"}'))
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  await busyKey(chancery, id)
  const before = await droppedLines()
  const answered = await callAtOnce(chancery.url, key, 40, 25)
  await untilCounted(chancery, id, total(answered))
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  const { rows } = await client.query('select 1 from chancery_access.key_call where key_id = $1', [id])
  await client.end()
  assert.ok(rows.length >= 200, `${rows.length} have a line`)
  assert.equal(rows.length + (await droppedLines()) - before, total(answered))
})
