import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { TopKey } from '../../src/request-log/queries.ts'
import { sendRaw } from '../http/raw.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { metricsOf } from '../webhooks/metrics-of.ts'
import { openTestRequestLog, total } from './test-request-log.ts'

const chancery = closeAfter(await startTestServer())

/**
 * Sends pipelined requests on several connections at once. Returns the number of responses by status. A 503 of a busy process is not
 * among them: it is logged for the address, not for the key.
 */
async function sendAtOnce(
  url: string,
  key: string,
  connections: number,
  calls: number,
): Promise<{ status: number; calls: number }[]> {
  const lines = ['GET /api/v1/game HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, '', '']
  const text = lines.join('\r\n').repeat(calls)
  const exchanges = await Promise.all(
    Array.from({ length: connections }, () => sendRaw(url, text, { count: calls })),
  )
  const responses = exchanges.flatMap(each => each.responses)
  assert.equal(responses.length, connections * calls)
  return [200, 429]
    .map(status => ({ status, calls: responses.filter(response => response.status === status).length }))
    .filter(each => each.calls > 0)
    .sort((one, other) => other.calls - one.calls)
}

async function busyKey(server: TestServer, keyId: string): Promise<TopKey | undefined> {
  const response = await server.operate('GET', '/usage/keys')
  const { data } = (await response.json()) as { data: TopKey[] }
  return data.find(({ key_id }) => key_id === keyId)
}

/** Waits until this many requests are counted: a busy machine needs more than one read. */
async function untilCounted(server: TestServer, keyId: string, calls: number): Promise<TopKey> {
  let busy: TopKey | undefined
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
  const counts = await sendAtOnce(chancery.url, key, connections, 25)
  const limited = counts.find(({ status }) => status === 429)?.calls ?? 0
  assert.ok(limited > 0)
  const busy = await untilCounted(chancery, id, total(counts))
  assert.equal(busy.limited, limited)
  const fixture = await openTestRequestLog(t, { databaseUrl: chancery.databaseUrl, now: Date.now })
  const { minutes, hours, operations, statuses } = await fixture.account.usage(id)
  assert.deepEqual(statuses, counts)
  assert.deepEqual(operations, [{ operation: 'game.get', calls: total(counts), deprecated: 0 }])
  for (const spans of [minutes, hours]) {
    assert.equal(total(spans), total(counts))
    assert.equal(
      spans.reduce((sum, span) => sum + span.limited, 0),
      limited,
    )
  }
  assert.deepEqual(await fixture.account.callsToday([id]), new Map([[id, total(counts)]]))
})

test('two servers on one database add up', async t => {
  const other = await startTestServer({}, { databaseUrl: chancery.databaseUrl })
  t.after(() => other.close())
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const counts = await Promise.all([
    sendAtOnce(chancery.url, key, 10, 25),
    sendAtOnce(other.url, key, 14, 25),
  ])
  for (const server of [chancery, other]) await untilCounted(server, id, total(counts.flat()))
})

test('a closing server writes what it recorded', async () => {
  const other = await startTestServer({}, { databaseUrl: chancery.databaseUrl })
  const { id, key } = await other.makeKey({ player_id: 'p1' })
  const counts = await sendAtOnce(other.url, key, 1, 10)
  await other.close()
  assert.equal((await busyKey(chancery, id))?.calls, total(counts))
})

test('requests continue while the log cannot be written, and are all counted afterwards', async t => {
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  t.after(() => client.end())
  const counts: { status: number; calls: number }[] = []
  const slowestMs = async (calls: number) => {
    let slowest = 0
    for (let call = 0; call < calls; call += 1) {
      const calledAt = performance.now()
      counts.push(...(await sendAtOnce(chancery.url, key, 1, 1)))
      slowest = Math.max(slowest, performance.now() - calledAt)
    }
    return slowest
  }
  const usualMs = await slowestMs(100)
  await client.query('begin; lock table chancery_access.key_usage_hour, chancery_access.key_request')
  counts.push(...(await sendAtOnce(chancery.url, key, 2, 10)))
  // The current flush waits for the table until its timeout.
  const looking = chancery.operate('GET', '/requests/req_1')
  const lockedMs = await slowestMs(200)
  assert.ok(lockedMs < 500 + 5 * usualMs, `a call took ${lockedMs} ms, and ${usualMs} ms before`)
  await looking
  await client.query('rollback')
  await untilCounted(chancery, id, total(counts))
  const metrics = await metricsOf(chancery)
  assert.equal(metrics.get('chancery_request_log_dropped_total{what="count"}'), 0)
})

test('rows above the limit per key and write are counted as dropped', async () => {
  const droppedLines = async () =>
    Number((await metricsOf(chancery)).get('chancery_request_log_dropped_total{what="line"}'))
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  await busyKey(chancery, id)
  const before = await droppedLines()
  const counts = await sendAtOnce(chancery.url, key, 40, 25)
  await untilCounted(chancery, id, total(counts))
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  const { rows } = await client.query('select 1 from chancery_access.key_request where key_id = $1', [id])
  await client.end()
  assert.ok(rows.length >= 200, `${rows.length} have a line`)
  assert.equal(rows.length + (await droppedLines()) - before, total(counts))
})
