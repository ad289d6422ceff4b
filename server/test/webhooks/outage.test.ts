import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readEvents } from '../events/log-model.ts'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { longTimeouts, startTestServer, type TestServer } from '../support/test-server.ts'
import { allowedMs, until } from '../support/until.ts'
import { respondAfter, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { countArrivals, repeatedIn, type Subscriptions, untilAllArrive } from './arrivals.ts'
import { metricsOf } from './metrics-of.ts'
import { addActiveEndpoint, eventDeliveriesOf } from './owner.ts'

const paths = ['/one', '/two', '/three']
const eventCount = 120
const subscriptions: Subscriptions = new Map(paths.map(path => [path, () => true]))

/** A server behind a proxy to its database, and active endpoints. */
async function start(t: TestContext) {
  const database = await createTestDatabase()
  const receiver = await startWebhookReceiver()
  let opened: TestServer | undefined
  // Registered before the proxy, because a closing server uses its database.
  t.after(async () => {
    await opened?.close()
    await receiver.close()
    await database.drop()
  })
  const proxy = await startTcpProxy(t, database.url)
  const chancery = await startTestServer(
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' },
    { databaseUrl: proxy.url, timings: { ...longTimeouts, databaseTimeoutFactor: 5 } },
  )
  opened = chancery
  const endpoints = []
  for (const path of paths) {
    endpoints.push(await addActiveEndpoint(chancery, receiver.url(path)))
    receiver.respondWith(path, respondAfter(20))
  }
  return { chancery, proxy, receiver, endpoints }
}

const ingestNations = (chancery: TestServer) =>
  chancery.ingest(
    Array.from({ length: eventCount }, (_, index) => nation(`n${index}`)),
    { waits: false },
  )

/** During an outage metrics that are counted in the database are absent, and the others are served. */
async function assertMetricsServed(chancery: TestServer): Promise<void> {
  const aliveAt = performance.now()
  await chancery.operate('GET', '/livez')
  const requestedAt = performance.now()
  const metrics = await metricsOf(chancery)
  const tookMs = performance.now() - requestedAt
  assert.ok(tookMs < allowedMs(9_000, requestedAt - aliveAt), 'Prometheus times out after 10 seconds')
  assert.ok(Number(metrics.get('chancery_webhook_attempts_total{result="delivered"}')) > 0)
  const counted = /^chancery_webhook_(queue|oldest|endpoints|fan_out)/
  assert.deepEqual(
    [...metrics.keys()].filter(name => counted.test(name)),
    [],
    'unknown is not zero',
  )
}

const arrivals = (receiver: WebhookReceiver) => countArrivals(receiver.received, subscriptions)

async function assertAllArriveOnce(chancery: TestServer, receiver: WebhookReceiver): Promise<void> {
  // A claim whose response was lost can be taken over after its lease.
  await until(() => arrivals(receiver).size === eventCount * paths.length, 'every event arrives', 120_000)
  await until(async () => (await readEvents(chancery)).length === eventCount, 'the log is up to date')
  const arrived = await untilAllArrive(await readEvents(chancery), subscriptions, () => arrivals(receiver))
  assert.equal(arrived.size, eventCount * paths.length)
  assert.deepEqual(repeatedIn(arrived), [], 'an outage shorter than the lease repeats no delivery')
}

test('a database outage of seconds loses and repeats no event', async t => {
  const { chancery, proxy, receiver, endpoints } = await start(t)
  await ingestNations(chancery)
  await until(() => arrivals(receiver).size > 40, 'deliveries are in flight')
  proxy.cut()
  await assertMetricsServed(chancery)
  const arrivedAtCut = arrivals(receiver).size
  assert.ok(arrivedAtCut < eventCount * paths.length, 'the outage comes before the last delivery')
  const isUp = async () => (await metricsOf(chancery)).get('chancery_database_up') === 1
  await until(async () => !(await isUp()), 'the database is known to be unavailable')
  proxy.restore()
  await assertAllArriveOnce(chancery, receiver)
  for (const { id } of endpoints)
    await until(
      async () => (await eventDeliveriesOf(chancery, id, 'limit=100&state=delivered')).length === 100,
      'it is recorded as delivered',
    )
  // A failed count is not repeated at once.
  await until(
    async () => (await metricsOf(chancery)).get('chancery_webhook_fan_out_lag_events') === 0,
    'the counted metrics are back',
  )
})

test('an unresponsive database loses no event', async t => {
  const { chancery, proxy, receiver } = await start(t)
  await ingestNations(chancery)
  await until(() => arrivals(receiver).size > 40, 'deliveries are in flight')
  proxy.pause()
  await assertMetricsServed(chancery)
  proxy.restore()
  await assertAllArriveOnce(chancery, receiver)
})
