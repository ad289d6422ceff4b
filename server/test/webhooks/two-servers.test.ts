import assert from 'node:assert/strict'
import { after as afterAll, afterEach, before, beforeEach, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { metricsOf } from './metrics-of.ts'
import { addHearing } from './owner.ts'
import { arrivedPairs, missingFrom, type Wants, wantedPairs, wholeLog } from './pairs.ts'
import { after, type Receiver, startReceiver } from './receiver.ts'

const inFlight = 3
const eventCount = 400
const paths = Array.from({ length: 10 }, (_, index) => `/endpoint-${index}`)
const wants: Wants = new Map(paths.map(path => [path, () => true]))

let receiver: Receiver
let database: TestDatabase
let servers: [TestServer, TestServer]
before(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

beforeEach(async () => {
  database = await createTestDatabase()
  receiver.received.length = 0
  const start = () =>
    startTestServer({
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
      CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight),
    })
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

/** Tells facts to both servers by turns, in batches. */
async function tellAll(tellers: readonly TestServer[] = servers): Promise<void> {
  const size = 40
  for (let first = 0; first < eventCount; first += size) {
    const facts = Array.from({ length: size }, (_, index) => nation(`n${first + index}`))
    await tellers[(first / size) % tellers.length]?.tell(facts, { waits: false })
  }
}

const arrived = () => arrivedPairs(receiver, wants)

async function assertEachArrivedOnce(server: TestServer): Promise<void> {
  await until(() => arrived().size === eventCount * paths.length, 'every pair arrives', 40_000)
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

test('two servers share the work: each pair arrives once, and no endpoint has more under way than it may', async () => {
  await tellAll()
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

test('of two servers one may close in the middle of it: nothing is lost, and nothing comes twice', async () => {
  await tellAll()
  await until(() => arrived().size > 500, 'deliveries are under way')
  const [one, other] = servers
  // The one that has done more by then has done something.
  const [closing, staying] =
    (await deliveredBy(one)) > (await deliveredBy(other)) ? [one, other] : [other, one]
  await closing.close()
  assert.ok(arrived().size < eventCount * paths.length, 'it closed in the middle of it')
  await assertEachArrivedOnce(staying)
  assert.ok((await deliveredBy(staying)) > 0, 'both took part')
})
