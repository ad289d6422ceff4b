import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestDatabase } from '../support/database.ts'
import { withConnection } from '../support/database-url.ts'
import { until } from '../support/until.ts'
import {
  neverRespond,
  respondAfter,
  respondStatus,
  startWebhookReceiver,
} from '../support/webhook-receiver.ts'
import { addActiveEndpoint, eventDeliveriesOf, findEndpoint, startLocalWebhooks } from './owner.ts'

const inFlight = 4

const database = await createTestDatabase()
const receiver = closeAfter(await startWebhookReceiver())
after(() => database.drop())

const start = () => startLocalWebhooks({ CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) }, database.url)

test('a closing server does not wait for receivers: deliveries in flight are released and arrive after the restart', async t => {
  const closing = await start()
  const { id: slowId } = await addActiveEndpoint(closing, receiver.url('/slow'))
  const { id: fastId } = await addActiveEndpoint(closing, receiver.url('/fast'))
  receiver.respondWith('/slow', neverRespond)
  receiver.respondWith('/fast', respondAfter(300))
  const facts = Array.from({ length: 20 }, (_, index) => nation(`n${index}`))
  await closing.ingest(facts, { waits: false })
  await until(() => receiver.eventsAt('/slow').length === inFlight, 'the slow endpoint is at its limit')
  await until(() => receiver.eventsAt('/fast').length >= inFlight, 'the fast endpoint is at its limit')
  await closing.close()
  // Deliveries in flight do not wait for their lease.
  const { rows: leased } = await withConnection(database.url, client =>
    client.query(`select from chancery_outbound.delivery where state = 'sending'`),
  )
  assert.equal(leased.length, 0)
  const before = { slow: receiver.eventsAt('/slow').length, fast: receiver.eventsAt('/fast').length }
  assert.ok(before.fast < facts.length)

  receiver.respondWith('/slow', respondStatus(204))
  const restarted = await start()
  t.after(() => restarted.close())
  const idsAt = (path: string) => receiver.eventsAt(path).map(({ id }) => id)
  await until(() => new Set(idsAt('/slow')).size === facts.length, 'the slow endpoint has every event')
  await until(() => new Set(idsAt('/fast')).size === facts.length, 'the fast endpoint has every event')
  assert.equal(idsAt('/slow').length, facts.length + inFlight, 'only deliveries in flight are repeated')
  assert.equal(idsAt('/fast').length, facts.length, 'deliveries with a response in time are not repeated')

  const isDelivered = async (id: string) =>
    (await eventDeliveriesOf(restarted, id)).every(({ state }) => state === 'delivered')
  await until(
    async () => (await isDelivered(slowId)) && (await isDelivered(fastId)),
    'every delivery is recorded',
  )
  for (const { attempts } of await eventDeliveriesOf(restarted, slowId))
    assert.ok(
      attempts.every(({ status }) => status === 204),
      'an interruption does not count as a failure',
    )
  assert.equal((await findEndpoint(restarted, slowId)).failing_since, null)
})
