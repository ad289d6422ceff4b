import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@chancery/contract'
import { deleteOldHeartbeats } from '../../src/ingest/heartbeats.ts'
import { roundLock } from '../../src/store/locks.ts'
import { smallWorld } from '../http/world.ts'
import { nation, put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { query, withConnection } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { readStatus } from '../support/read-status.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

interface Status {
  version: string
  game: string
  migration: number
  last_batch: { id: string; applied_at: string; facts: number; events: number } | null
  last_batch_age_seconds: number | null
  feeds: { name: string; last_batch: string; last_batch_age_seconds: number }[]
  refused_batches: number
  latest_refused: { id: string; line: number; path: string; reason: string }[]
  webhook_queue_depth: Record<string, number>
  webhook_fan_out_lag_events: number
  ranking_lag_versions: number
  log_gaps: number
}

const metricsOf = async (chancery: TestServer) => (await chancery.operate('GET', '/metrics')).text()

test('the status of an empty world has no batches', async t => {
  const chancery = closeAfter(await startTestServer(), t)
  const status = await readStatus<Status>(chancery)
  assert.deepEqual(
    [status.last_batch, status.last_batch_age_seconds, status.feeds, status.refused_batches],
    [null, null, [], 0],
  )
  assert.ok(status.migration >= 13)
  const metrics = await metricsOf(chancery)
  assert.match(metrics, /^chancery_refused_batches 0$/m)
  assert.doesNotMatch(metrics, /^chancery_last_batch_age_seconds /m)
})

test('the status has the last batch, the feeds, and rejected batches with reasons', async t => {
  const chancery = closeAfter(await startTestServer(), t)
  await chancery.ingest(smallWorld(), { batch: 'first' })
  const send = (id: string, body: object) =>
    chancery.operate('POST', '/facts', body, { 'idempotency-key': id }).then(response => response.status)
  assert.equal(await send('turn-1', { facts: [], feed: { name: 'turns', after: null } }), 200)
  for (const id of ['bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5', 'bad-6'])
    assert.equal(await send(id, { facts: [{ op: 'delete', resource: 'nation' }] }), 422)

  const status = await readStatus<Status>(chancery)
  assert.equal(status.last_batch?.id, 'turn-1')
  assert.match(status.last_batch?.applied_at ?? '', /Z$/)
  assert.ok(status.last_batch_age_seconds !== null && status.last_batch_age_seconds < 60)
  assert.deepEqual(pluck(status.feeds, 'name', 'last_batch'), [['turns', 'turn-1']])
  assert.equal(status.refused_batches, 6)
  assert.deepEqual(pluck(status.latest_refused, 'id'), ['bad-6', 'bad-5', 'bad-4', 'bad-3', 'bad-2'])
  const [latest] = status.latest_refused
  assert.equal(latest?.line, 1)
  assert.deepEqual([latest?.path, latest?.reason], ['/id', 'is required'])
  assert.deepEqual([status.log_gaps, status.ranking_lag_versions], [0, 0])

  await query(
    chancery.databaseUrl,
    `update chancery_secret.batch set applied_at = applied_at - interval '1 hour'`,
  )
  await query(chancery.databaseUrl, 'insert into chancery_world.log_gap values (10, 20)')
  const later = await readStatus<Status>(chancery)
  const age = later.last_batch_age_seconds ?? 0
  assert.ok(age >= 3_600 && age < 3_700, String(age))
  assert.equal(later.log_gaps, 1)
  const metrics = await metricsOf(chancery)
  assert.match(metrics, /^chancery_refused_batches 6$/m)
  const value = Number(/^chancery_last_batch_age_seconds (\S+)$/m.exec(metrics)?.[1])
  assert.ok(value >= 3_600 && value < 3_700, String(value))
})

test('the ranking lag counts from the first unranked change, and is zero without one', async t => {
  const chancery = closeAfter(await startTestServer(), t)
  const lag = async () => {
    const value = /^chancery_ranking_lag_seconds (\S+)$/m.exec(await metricsOf(chancery))?.[1]
    return value === undefined ? undefined : Number(value)
  }
  await chancery.ingest(smallWorld())
  assert.equal(await lag(), 0)
  // This lock blocks ranking rounds.
  await withConnection(chancery.databaseUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [roundLock])
    await chancery.ingest([nation('late')], { waits: false })
    await client.query(
      `update chancery_world.pulse set unranked_since = unranked_since - interval '5 minutes'`,
    )
    await chancery.ingest([nation('later')], { waits: false })
    const behind = (await lag()) ?? Number.NaN
    assert.ok(behind >= 300 && behind < 400, String(behind))
  })
  await chancery.ingest([nation('latest')])
  assert.equal(await lag(), 0)
})

test('the status has the webhook queue of the metrics', async t => {
  const receiver = closeAfter(await startWebhookReceiver(), t)
  const chancery = closeAfter(await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }), t)
  await chancery.ingest(smallWorld())
  const body = { player_id: 'p1', url: receiver.url('/hook') }
  assert.equal((await chancery.operate('POST', '/webhooks', body)).status, 201)
  await receiver.stop()
  const fact = put('nation', { id: 'w1', nation_name: 'W', leader_name: 'L' })
  await chancery.ingest([fact])
  // The queue is counted at most every five seconds, and another count may come between the two.
  await until(async () => {
    const status = await readStatus<Status>(chancery)
    assert.deepEqual(Object.keys(status.webhook_queue_depth), ['answering', 'slow', 'failing'])
    const depths = Object.entries(status.webhook_queue_depth)
    const metrics = await metricsOf(chancery)
    return (
      depths.some(([, count]) => count > 0) &&
      depths.every(([name, count]) =>
        metrics.includes(`chancery_webhook_queue_depth{endpoints="${name}"} ${count}\n`),
      ) &&
      metrics.includes(`chancery_webhook_fan_out_lag_events ${status.webhook_fan_out_lag_events}\n`)
    )
  }, 'status and metrics have the same queue')
})

test('heartbeats show in status and metrics, become overdue, and are bounded', async t => {
  const chancery = closeAfter(await startTestServer(), t)
  const beat = async (feed: string, more: object = {}) => {
    const heartbeat = {
      sender: 'turns.py',
      next_within_seconds: 60,
      read_at: '2026-05-27T18:00:00Z',
      error: null,
      rows: 5,
      set_aside: 2,
      waiting_views: [{ view: 'v', reason: 'r' }],
      ...more,
    }
    return (await chancery.operate('PUT', `/feeds/${feed}/heartbeat`, heartbeat)).status
  }
  const countLines = async () =>
    ((await (await chancery.operate('GET', '/log')).json()) as { data: object[] }).data.length
  const before = await countLines()
  assert.deepEqual(
    [await beat('a'), await beat('b', { next_within_seconds: null }), await beat('a')],
    [200, 200, 200],
  )
  await query(
    chancery.databaseUrl,
    `update chancery_secret.heartbeat set heartbeat_at = heartbeat_at - interval '2 minutes'`,
  )
  const { senders } = await readStatus<{
    senders: { feed: string; is_overdue: boolean; read_age_seconds: number }[]
  }>(chancery)
  assert.deepEqual(pluck(senders, 'feed', 'is_overdue'), [
    ['a', true],
    ['b', false],
  ])
  assert.ok((senders[0]?.read_age_seconds ?? 0) > 1_000)
  const metrics = await metricsOf(chancery)
  for (const line of [
    'chancery_sender_overdue{feed="a"} 1',
    'chancery_sender_overdue{feed="b"} 0',
    'chancery_sender_failing{feed="a"} 0',
    'chancery_sender_waiting_views{feed="a"} 1',
    'chancery_sender_set_aside{feed="b"} 2',
  ])
    assert.ok(metrics.includes(`${line}\n`), line)
  assert.match(metrics, /^chancery_sender_read_age_seconds\{feed="a"\} \d/m)
  // Every fifteen seconds from each sender: not in the audit log, but searched for secrets.
  assert.equal(await countLines(), before)
  assert.equal(await beat('a', { error: `token cho_${'x'.repeat(38)}` }), 400)

  await query(
    chancery.databaseUrl,
    `insert into chancery_secret.heartbeat select 'n' || n, now(), 60, null, '{}' from generate_series(1, ${limits.senders - 2}) n`,
  )
  assert.deepEqual([await beat('one-more'), await beat('a')], [400, 200])
  const remove = async (feed: string) => (await chancery.operate('DELETE', `/feeds/${feed}/heartbeat`)).status
  assert.deepEqual([await remove('a'), await remove('a'), await beat('one-more')], [200, 404, 200])
  const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }), t)
  await query(
    chancery.databaseUrl,
    `update chancery_secret.heartbeat set heartbeat_at = now() - interval '40 days' where feed = 'b'`,
  )
  await deleteOldHeartbeats(pools.ingest)
  const [left] = await query(
    chancery.databaseUrl,
    `select count(*)::int as count from chancery_secret.heartbeat where feed in ('b', 'one-more')`,
  )
  assert.deepEqual(left, { count: 1 })
})
