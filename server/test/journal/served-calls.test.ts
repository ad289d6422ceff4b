import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { BusyKey } from '../../src/journal/operator-reads.ts'
import { exchange } from '../http/raw.ts'
import { startChancery, type TestChancery } from '../support/chancery.ts'
import { metricsOf } from '../webhooks/metrics-of.ts'
import { until } from '../webhooks/until.ts'
import { openDesk, total } from './desk.ts'

let chancery: TestChancery
before(async () => {
  chancery = await startChancery()
})
after(() => chancery.close())

/** Calls at once: on so many connections, each with so many calls one behind the other. */
async function callAtOnce(url: string, key: string, connections: number, calls: number): Promise<void> {
  const lines = [`GET /api/v1/game HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, '', '']
  const text = lines.join('\r\n').repeat(calls)
  const exchanges = await Promise.all(
    Array.from({ length: connections }, () => exchange(url, text, { count: calls })),
  )
  for (const { answers } of exchanges) assert.equal(answers.length, calls)
}

async function busyKey(server: TestChancery, keyId: string): Promise<BusyKey | undefined> {
  const response = await server.operate('GET', '/usage/keys')
  const { data } = (await response.json()) as { data: BusyKey[] }
  return data.find(({ key_id }) => key_id === keyId)
}

/** A machine that is busy may take more than the second that a reader waits. */
async function untilCounted(server: TestChancery, keyId: string, calls: number): Promise<BusyKey> {
  let busy: BusyKey | undefined
  await until(async () => {
    busy = await busyKey(server, keyId)
    return busy?.calls === calls
  }, `${calls} calls are counted`)
  assert.ok(busy)
  return busy
}

test('5,000 calls at once are counted exactly, by minute and by hour, with what was limited', async t => {
  const limit = 3_000
  const { id, key } = await chancery.makeKey({ player_id: 'p1' }, undefined, { limit })
  const beganAt = Date.now()
  await callAtOnce(chancery.url, key, 50, 100)
  const within60s = Date.now() - beganAt < 60_000
  const busy = await untilCounted(chancery, id, 5_000)
  const desk = await openDesk(t, { databaseUrl: chancery.databaseUrl, now: Date.now })
  const { minutes, hours, operations, statuses } = await desk.account.usage(id)
  assert.deepEqual([total(minutes), total(hours)], [5_000, 5_000])
  assert.deepEqual(operations, [{ operation: 'game.get', calls: 5_000 }])
  assert.ok(within60s, 'this machine is too slow to tell')
  assert.deepEqual(statuses, [
    { status: 200, calls: limit },
    { status: 429, calls: 5_000 - limit },
  ])
  assert.equal(busy.limited, 5_000 - limit)
  assert.equal(
    minutes.reduce((sum, { limited }) => sum + limited, 0),
    5_000 - limit,
  )
  assert.deepEqual(await desk.account.callsToday([id]), new Map([[id, 5_000]]))
})

test('two servers on one database add up', async t => {
  const other = await startChancery({ CHANCERY_DATABASE_URL: chancery.databaseUrl })
  t.after(() => other.close())
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  await Promise.all([callAtOnce(chancery.url, key, 5, 50), callAtOnce(other.url, key, 5, 70)])
  for (const server of [chancery, other]) await untilCounted(server, id, 600)
})

test('a server that closes writes what it noted', async () => {
  const other = await startChancery({ CHANCERY_DATABASE_URL: chancery.databaseUrl })
  const { id, key } = await other.makeKey({ player_id: 'p1' })
  await callAtOnce(other.url, key, 1, 10)
  await other.close()
  assert.equal((await busyKey(chancery, id))?.calls, 10)
})

test('calls go on while the journal cannot be written, and are all counted afterwards', async t => {
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  t.after(() => client.end())
  await client.query('begin; lock table chancery_access.key_hour, chancery_access.key_call')
  await callAtOnce(chancery.url, key, 2, 10)
  // The writing that is going on waits for the table until its time is over.
  const looking = chancery.operate('GET', '/requests/req_1')
  const slowest = { ms: 0 }
  for (let call = 0; call < 300; call += 1) {
    const askedAt = performance.now()
    await callAtOnce(chancery.url, key, 1, 1)
    slowest.ms = Math.max(slowest.ms, performance.now() - askedAt)
  }
  assert.ok(slowest.ms < 1_000, `a call took ${slowest.ms} ms`)
  await looking
  await client.query('rollback')
  await untilCounted(chancery, id, 320)
  const metrics = await metricsOf(chancery)
  assert.equal(metrics.get('chancery_journal_dropped_total{what="count"}'), 0)
})

test('lines beyond as many as one key gets at a time are counted as dropped', async () => {
  const droppedLines = async () =>
    Number((await metricsOf(chancery)).get('chancery_journal_dropped_total{what="line"}'))
  const { id, key } = await chancery.makeKey({ player_id: 'p1' })
  await busyKey(chancery, id)
  const before = await droppedLines()
  await callAtOnce(chancery.url, key, 10, 100)
  await untilCounted(chancery, id, 1_000)
  const client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  const { rows } = await client.query('select 1 from chancery_access.key_call where key_id = $1', [id])
  await client.end()
  assert.ok(rows.length >= 200, `${rows.length} have a line`)
  assert.equal(rows.length + (await droppedLines()) - before, 1_000)
})
