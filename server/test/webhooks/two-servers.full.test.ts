import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { readEvents } from '../events/log-model.ts'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { respondAfter, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { countArrivals, repeatedIn, type Subscriptions, untilAllArrive } from './arrivals.ts'
import { metricsOf } from './metrics-of.ts'
import { addActiveEndpoint, startLocalWebhooks } from './owner.ts'

const inFlight = 3
const eventCount = 200
const paths = Array.from({ length: 10 }, (_, index) => `/endpoint-${index}`)
const subscriptions: Subscriptions = new Map(paths.map(path => [path, () => true]))

const receiver = closeAfter(await startWebhookReceiver())
let database: TestDatabase
let servers: [TestServer, TestServer]

beforeEach(async () => {
  database = await createTestDatabase()
  receiver.received.length = 0
  const start = () => startLocalWebhooks({ CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) }, database.url)
  servers = [await start(), await start()]
  for (const [index, path] of paths.entries()) {
    await addActiveEndpoint(servers[0], receiver.url(path), { player_id: 'p1' })
    // Slow enough that the second server finds deliveries to claim.
    receiver.respondWith(path, respondAfter(15 + index))
  }
})
afterEach(async () => {
  await Promise.all(servers.map(server => server.close()))
  await database.drop()
})

/** Sends the facts of some events to the servers in turn, in batches. */
async function sendFacts(
  to: readonly TestServer[],
  { from, until: end }: { from: number; until: number },
): Promise<void> {
  const size = 20
  for (let first = from; first < end; first += size) {
    const facts = Array.from({ length: size }, (_, index) => nation(`n${first + index}`))
    await to[(first / size) % to.length]?.ingest(facts, { waits: false })
  }
}

/** A message that is cut off before its response is sent again: the sender cannot know that it arrived. */
const arrivals = () =>
  countArrivals(
    receiver.received.filter(({ isCutOff }) => !isCutOff),
    subscriptions,
  )

async function assertEachArrivedOnce(server: TestServer): Promise<void> {
  const arrived = await untilAllArrive(await readEvents(server), subscriptions, arrivals)
  assert.equal(arrived.size, eventCount * paths.length)
  assert.deepEqual(repeatedIn(arrived), [])
  for (const path of paths) {
    const peak = receiver.peakInFlight(path)
    assert.ok(peak <= inFlight, `${peak} were in flight at ${path} at one time`)
  }
}

const deliveredBy = async (server: TestServer) =>
  (await metricsOf(server)).get('chancery_webhook_attempts_total{result="delivered"}') ?? 0

test('two servers share the work: each delivery arrives once, and no endpoint exceeds its attempts in flight', async () => {
  await sendFacts(servers, { from: 0, until: eventCount })
  await assertEachArrivedOnce(servers[0])
  assert.ok(
    paths.some(path => receiver.peakInFlight(path) === inFlight),
    'the limit is reached',
  )
  const parts = () => Promise.all(servers.map(deliveredBy))
  const total = async () => (await parts()).reduce((sum, part) => sum + part, 0)
  await until(async () => (await total()) >= eventCount * paths.length, 'the last deliveries are counted')
  assert.equal(await total(), eventCount * paths.length)
  for (const part of await parts()) assert.ok(part > 0, 'both deliver')
})

test('one of two servers may close during deliveries: nothing is lost, and nothing acknowledged is repeated', async () => {
  const half = eventCount / 2
  await sendFacts(servers, { from: 0, until: half })
  await until(() => arrivals().size > 300, 'deliveries are in flight')
  const [one, other] = servers
  // The server that has delivered more has delivered something.
  const [closing, staying] =
    (await deliveredBy(one)) > (await deliveredBy(other)) ? [one, other] : [other, one]
  assert.ok(arrivals().size < half * paths.length, 'it closes before the last delivery')
  await closing.close()
  await sendFacts([staying], { from: half, until: eventCount })
  await assertEachArrivedOnce(staying)
  assert.ok((await deliveredBy(staying)) > 0, 'both deliver')
})
