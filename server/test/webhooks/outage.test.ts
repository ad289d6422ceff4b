import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { patientTimings, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { after, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { metricsOf } from './metrics-of.ts'
import { addHearing, newsOf } from './owner.ts'
import { arrivedPairs, missingFrom, type Wants, wantedPairs, wholeLog } from './pairs.ts'

const paths = ['/one', '/two', '/three']
const eventCount = 120
const wants: Wants = new Map(paths.map(path => [path, () => true]))

/** One server whose way to the database can be cut, and endpoints that hear. */
async function start(t: TestContext) {
  const database = await createTestDatabase()
  const receiver = await startWebhookReceiver()
  let opened: TestServer | undefined
  // Before the proxy's own end: what is closed says goodbye to its database.
  t.after(async () => {
    await opened?.close()
    await receiver.close()
    await database.drop()
  })
  const proxy = await startTcpProxy(t, database.url)
  const chancery = await startTestServer(
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' },
    { databaseUrl: proxy.url, timings: { ...patientTimings, databaseTimeoutFactor: 5 } },
  )
  opened = chancery
  const endpoints = []
  for (const path of paths) {
    endpoints.push(await addHearing(chancery, receiver.url(path)))
    receiver.answer(path, after(20))
  }
  return { chancery, proxy, receiver, endpoints }
}

const tellNations = (chancery: TestServer) =>
  chancery.ingest(
    Array.from({ length: eventCount }, (_, index) => nation(`n${index}`)),
    { waits: false },
  )

/** What is counted in the database is unknown while that is away; the rest is told. */
async function assertMetricsAnswer(chancery: TestServer): Promise<void> {
  const aliveAt = performance.now()
  await chancery.operate('GET', '/livez')
  const askedAt = performance.now()
  const metrics = await metricsOf(chancery)
  const tookMs = performance.now() - askedAt
  assert.ok(tookMs < allowedMs(9_000, askedAt - aliveAt), 'Prometheus gives up after 10 seconds')
  assert.ok(Number(metrics.get('chancery_webhook_attempts_total{result="delivered"}')) > 0)
  const counted = [...metrics.keys()].filter(name =>
    /^chancery_webhook_(queue|oldest|endpoints|fan_out)/.test(name),
  )
  assert.deepEqual(counted, [], 'unknown is not zero')
}

async function assertAllArrive(chancery: TestServer, receiver: WebhookReceiver): Promise<void> {
  const arrived = () => arrivedPairs(receiver, wants)
  // A claim whose answer was lost on its way is anybody's after its lease.
  await until(() => arrived().size === eventCount * paths.length, 'all of it arrives', 120_000)
  await until(async () => (await wholeLog(chancery)).length === eventCount, 'the log is read')
  assert.deepEqual(missingFrom(wantedPairs(await wholeLog(chancery), wants), arrived()), [])
  assert.deepEqual(
    [...arrived()].filter(([, count]) => count > 1),
    [],
    'the outage is shorter than the lease: what was answered meanwhile is remembered',
  )
}

test('a database outage of seconds loses and repeats no event', async t => {
  const { chancery, proxy, receiver, endpoints } = await start(t)
  await tellNations(chancery)
  await until(() => arrivedPairs(receiver, wants).size > 40, 'deliveries are under way')
  proxy.cut()
  await assertMetricsAnswer(chancery)
  const arrivedAtCut = arrivedPairs(receiver, wants).size
  assert.ok(arrivedAtCut < eventCount * paths.length, 'the outage is in the middle of it')
  const isUp = async () => (await metricsOf(chancery)).get('chancery_database_up') === 1
  await until(async () => !(await isUp()), 'it is known to be away')
  proxy.restore()
  await assertAllArrive(chancery, receiver)
  for (const { id } of endpoints)
    await until(
      async () => (await newsOf(chancery, id, 'limit=100&state=delivered')).length === 100,
      'it is booked as delivered',
    )
  // A count that failed is not made again at once.
  await until(
    async () => (await metricsOf(chancery)).get('chancery_webhook_fan_out_lag_events') === 0,
    'what is counted is known again',
  )
})

test('an unresponsive database loses no event', async t => {
  const { chancery, proxy, receiver } = await start(t)
  await tellNations(chancery)
  await until(() => arrivedPairs(receiver, wants).size > 40, 'deliveries are under way')
  proxy.silence()
  await assertMetricsAnswer(chancery)
  proxy.restore()
  await assertAllArrive(chancery, receiver)
})
