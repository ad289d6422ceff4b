import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import {
  after,
  never,
  startWebhookReceiver,
  type WebhookReceiver,
  withStatus,
} from '../support/webhook-receiver.ts'
import { addHearing, findEndpoint, newsOf } from './owner.ts'

const inFlight = 4

let database: TestDatabase
let receiver: WebhookReceiver
before(async () => {
  database = await createTestDatabase()
  receiver = await startWebhookReceiver()
})
afterAll(async () => {
  await receiver.close()
  await database.drop()
})

const start = () =>
  startTestServer(
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) },
    { databaseUrl: database.url },
  )

test('a closing server does not wait for receivers: deliveries in flight are released and arrive after the restart', async t => {
  const closing = await start()
  const { id: slowId } = await addHearing(closing, receiver.url('/slow'))
  const { id: briskId } = await addHearing(closing, receiver.url('/brisk'))
  receiver.answer('/slow', never)
  receiver.answer('/brisk', after(300))
  const facts = Array.from({ length: 20 }, (_, index) => nation(`n${index}`))
  await closing.ingest(facts, { waits: false })
  await until(() => receiver.newsAt('/slow').length === inFlight, 'the slow one is busy')
  await until(() => receiver.newsAt('/brisk').length >= inFlight, 'the brisk one is too')
  await closing.close()
  // What was under way waits for no lease.
  const { rows: leased } = await withConnection(database.url, client =>
    client.query(`select from chancery_outbound.delivery where state = 'sending'`),
  )
  assert.equal(leased.length, 0)
  const before = { slow: receiver.newsAt('/slow').length, brisk: receiver.newsAt('/brisk').length }
  assert.ok(before.brisk < facts.length)

  receiver.answer('/slow', withStatus(204))
  const restarted = await start()
  t.after(() => restarted.close())
  const idsAt = (path: string) => receiver.newsAt(path).map(({ id }) => id)
  await until(() => new Set(idsAt('/slow')).size === facts.length, 'the slow one has all')
  await until(() => new Set(idsAt('/brisk')).size === facts.length, 'the brisk one has all')
  assert.equal(idsAt('/slow').length, facts.length + inFlight, 'only what was under way came twice')
  assert.equal(idsAt('/brisk').length, facts.length, 'what was answered in time came once')

  const isSettled = async (id: string) =>
    (await newsOf(restarted, id)).every(({ state }) => state === 'delivered')
  await until(async () => (await isSettled(slowId)) && (await isSettled(briskId)), 'all of it is booked')
  for (const { attempts } of await newsOf(restarted, slowId))
    assert.ok(
      attempts.every(({ status }) => status === 204),
      'to be interrupted is no failure of the receiver',
    )
  assert.equal((await findEndpoint(restarted, slowId)).failing_since, null)
})
