import assert from 'node:assert/strict'
import { after as afterAll, afterEach, before, beforeEach, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { after, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { metricsOf } from './metrics-of.ts'
import { addHearing } from './owner.ts'
import { arrivedPairs, missingFrom, type Wants, wantedPairs, wholeLog } from './pairs.ts'

const inFlight = 3
const eventCount = 200
const paths = Array.from({ length: 10 }, (_, index) => `/endpoint-${index}`)
const wants: Wants = new Map(paths.map(path => [path, () => true]))

let receiver: WebhookReceiver
let database: TestDatabase
let servers: [TestServer, TestServer]
before(async () => {
  receiver = await startWebhookReceiver()
})
afterAll(() => receiver.close())

beforeEach(async () => {
  database = await createTestDatabase()
  receiver.received.length = 0
  const start = () =>
    startTestServer(
      { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) },
      { databaseUrl: database.url },
    )
  servers = [await start(), await start()]
  for (const [index, path] of paths.entries()) {
    await addHearing(servers[0], receiver.url(path), { player_id: 'p1' })
    // Slow enough that there is something left for whoever comes second.
    receiver.answer(path, after(15 + index))
  }
})
afterEach(async () => {
  await Promise.all(servers.map(server => server.close()))
  await database.drop()
})

/** Sends the facts of some events to servers by turns, in batches. */
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

/** What was cut off before it was answered is sent again: the sender cannot know that it arrived. */
const arrived = () => arrivedPairs({ received: receiver.received.filter(({ isCutOff }) => !isCutOff) }, wants)

/** A busy machine may take long, as long as there is progress. */
async function allArrived(): Promise<void> {
  while (arrived().size < eventCount * paths.length) {
    const count = receiver.received.length
    await until(() => receiver.received.length > count, 'another message arrives')
  }
}

async function assertEachArrivedOnce(server: TestServer): Promise<void> {
  await allArrived()
  const wanted = wantedPairs(await wholeLog(server), wants)
  assert.equal(wanted.size, eventCount * paths.length)
  assert.deepEqual(missingFrom(wanted, arrived()), [])
  assert.deepEqual(
    [...arrived()].filter(([, count]) => count !== 1),
    [],
  )
  for (const path of paths) {
    const most = receiver.mostAtOnce(path)
    assert.ok(most <= inFlight, `${most} were under way at ${path} at one time`)
  }
}

const deliveredBy = async (server: TestServer) =>
  (await metricsOf(server)).get('chancery_webhook_attempts_total{result="delivered"}') ?? 0

test('two servers share the work: each delivery arrives once, and no endpoint exceeds its attempts in flight', async () => {
  await sendFacts(servers, { from: 0, until: eventCount })
  await assertEachArrivedOnce(servers[0])
  assert.ok(
    paths.some(path => receiver.mostAtOnce(path) === inFlight),
    'the limit is reached',
  )
  const parts = await Promise.all(servers.map(deliveredBy))
  // Who is quicker takes more.
  for (const part of parts) assert.ok(part > 0, 'both took part')
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0),
    eventCount * paths.length,
  )
})

test('one of two servers may close during deliveries: nothing is lost, and nothing acknowledged is repeated', async () => {
  const half = eventCount / 2
  await sendFacts(servers, { from: 0, until: half })
  await until(() => arrived().size > 300, 'deliveries are under way')
  const [one, other] = servers
  // The one that has done more by then has done something.
  const [closing, staying] =
    (await deliveredBy(one)) > (await deliveredBy(other)) ? [one, other] : [other, one]
  assert.ok(arrived().size < half * paths.length, 'it closes in the middle of it')
  await closing.close()
  await sendFacts([staying], { from: half, until: eventCount })
  await assertEachArrivedOnce(staying)
  assert.ok((await deliveredBy(staying)) > 0, 'both took part')
})
