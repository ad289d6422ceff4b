import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { withConnection } from '../support/database-url.ts'
import { until } from '../support/until.ts'
import { respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'
import {
  type AddedEndpoint,
  addActiveEndpoint,
  addEndpoint,
  assertRejected,
  deliveriesOf,
  type EndpointView,
  eventDeliveriesOf,
  findEndpoint,
  requestOk,
  requestOperator,
  startWebhookServer,
} from './owner.ts'
import { isSignedBy, verified } from './verified.ts'

const { chancery, receiver } = await startWebhookServer()
await chancery.ingest(smallWorld(), { announce: false })

let nations = 0
/** Ingests a fact with one event. Returns the id of the event. */
async function ingestEvent(): Promise<string> {
  const { last_seq } = await chancery.ingest([nation(`nation-${nations++}`)], { waits: false })
  return `evt_${last_seq}`
}

const untilArrived = (path: string, id: string) =>
  until(() => receiver.eventsAt(path).some(message => message.id === id), `${id} arrives at ${path}`)

/** Asserts that an event does not arrive at `path`, although it and the next one arrive at another endpoint. */
async function assertNotDelivered(path: string): Promise<void> {
  const id = await ingestEvent()
  const next = await ingestEvent()
  await untilArrived('/other', next)
  assert.ok(
    !receiver.eventsAt(path).some(message => [id, next].includes(message.id)),
    `an event arrives at ${path}`,
  )
}

test('a successful test activates an endpoint', async () => {
  await addActiveEndpoint(chancery, receiver.url('/other'))
  const { test: result, ...endpoint } = await addEndpoint(chancery, receiver.url('/added'), {
    description: 'my bot',
    types: ['nation.*'],
  })
  assert.deepEqual(
    [endpoint.status, endpoint.description, endpoint.types, endpoint.nation_ids],
    ['active', 'my bot', ['nation.*'], null],
  )
  assert.deepEqual([result.has_arrived, result.status, result.error, result.answer], [true, 204, null, ''])
  const [message] = receiver.testsAt('/added')
  assert.ok(message)
  const { type, data } = verified(endpoint.secret, message)
  assert.deepEqual([type, data.type, data.id, data.seq], ['webhook.test', 'webhook.test', message.id, 0])
  await untilArrived('/added', await ingestEvent())
})

test('a failed test leaves an endpoint unconfirmed, with the reason', async () => {
  receiver.respondWith('/unconfirmed', respondStatus(503, 'not yet'))
  const { id, status, test: result } = await addEndpoint(chancery, receiver.url('/unconfirmed'))
  assert.equal(status, 'unconfirmed')
  assert.deepEqual([result.has_arrived, result.status, result.answer], [false, 503, 'not yet'])
  const [recorded] = await deliveriesOf(chancery, id)
  assert.deepEqual([recorded?.type, recorded?.state, recorded?.event_id], ['webhook.test', 'failed', null])
  await assertNotDelivered('/unconfirmed')
  const again = await requestOk<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/test`)
  assert.deepEqual([again.status, again.test.status], ['unconfirmed', 503])
  receiver.respondWith('/unconfirmed', respondStatus(200))
  assert.equal((await requestOk(chancery, 'POST', `/webhooks/${id}/test`)).status, 'active')
  await untilArrived('/unconfirmed', await ingestEvent())
  const tests = (await deliveriesOf(chancery, id)).filter(({ event_id }) => event_id === null)
  assert.deepEqual(
    tests.map(({ state }) => state),
    ['delivered', 'failed', 'failed'],
  )
})

test('a refused connection is reported', async () => {
  const closed = await startWebhookReceiver()
  await closed.close()
  const { status, test: result } = await addEndpoint(chancery, closed.url('/closed'))
  assert.equal(status, 'unconfirmed')
  assert.deepEqual([result.status, result.error, result.answer], [null, 'connection_failed', null])
})

test('an endpoint of a nation belongs to the player who leads it', async () => {
  const { player_id } = await addEndpoint(chancery, receiver.url('/of-nation'), {
    player_id: undefined,
    nation_id: 'n1',
  })
  assert.equal(player_id, 'player-of-n1')
  const { data } = await requestOk<{ data: EndpointView[] }>(chancery, 'GET', '/webhooks?nation_id=n1')
  assert.deepEqual(
    data.map(endpoint => endpoint.player_id),
    ['player-of-n1'],
  )
})

test('rotated secrets sign together with their successors', async () => {
  const { id, secret: older } = await addActiveEndpoint(chancery, receiver.url('/rotating'))
  const { secret: newer } = await requestOk<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/rotate`)
  assert.match(newer, /^whsec_/)
  assert.notEqual(newer, older)
  await untilArrived('/rotating', await ingestEvent())
  const [message] = receiver.eventsAt('/rotating')
  assert.ok(message)
  for (const secret of [older, newer]) verified(secret, message)
  const third = await requestOk<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/rotate`)
  await untilArrived('/rotating', await ingestEvent())
  const last = receiver.eventsAt('/rotating').at(-1)
  assert.ok(last)
  assert.deepEqual(
    [older, newer, third.secret].map(secret => isSignedBy(secret, last)),
    [true, true, true],
  )
})

test('a disabled endpoint receives nothing, and new events when it is enabled again', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/switched'))
  const off = await requestOk(chancery, 'POST', `/webhooks/${id}/disable`)
  assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'owner'])
  assert.ok(Date.parse(off.disabled_at ?? '') <= Date.now())
  await assertNotDelivered('/switched')
  receiver.respondWith('/switched', respondStatus(500))
  assert.equal((await requestOk(chancery, 'POST', `/webhooks/${id}/enable`)).status, 'disabled')
  receiver.respondWith('/switched', respondStatus(204))
  const on = await requestOk(chancery, 'POST', `/webhooks/${id}/enable`)
  assert.deepEqual([on.status, on.disabled_reason, on.disabled_at], ['active', null, null])
  const next = await ingestEvent()
  await untilArrived('/switched', next)
  assert.deepEqual(
    receiver.eventsAt('/switched').map(message => message.id),
    [next],
  )
})

/** The rows of an endpoint, its deliveries and attempts, and of attempts without a delivery. */
const rowsOf = (id: string) =>
  withConnection(chancery.databaseUrl, async client => {
    const { rows } = await client.query(
      `select e::text from chancery_outbound.endpoint e where id = $1
       union all select d::text from chancery_outbound.delivery d where endpoint_id = $1
       union all select a::text from chancery_outbound.attempt a left join chancery_outbound.delivery d on d.id = a.delivery_id
       where d.id is null or d.endpoint_id = $1`,
      [id],
    )
    return rows
  })

test('a removed endpoint loses its deliveries, and nothing arrives afterwards', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/removed'))
  const delivered = await ingestEvent()
  await untilArrived('/removed', delivered)
  receiver.respondWith('/removed', respondStatus(500))
  await ingestEvent()
  await until(
    async () => (await eventDeliveriesOf(chancery, id)).some(({ attempts }) => attempts[0]?.status === 500),
    'one is pending',
  )
  assert.ok((await rowsOf(id)).length > 5)
  assert.deepEqual(await requestOk(chancery, 'DELETE', `/webhooks/${id}`), { id, removed: true })
  assert.deepEqual(await rowsOf(id), [])
  const arrived = receiver.eventsAt('/removed').length
  for (const request of [
    ['GET', `/webhooks/${id}`],
    ['GET', `/webhooks/${id}/deliveries`],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/test`],
    ['POST', `/webhooks/${id}/enable`],
    ['POST', `/webhooks/${id}/disable`],
    ['POST', `/webhooks/${id}/rotate`],
    ['POST', `/webhooks/${id}/replay`, { failed: true }],
  ] as [string, string, unknown?][])
    await assertRejected(chancery, request, 404, /webhook endpoint/)
  const { data } = await requestOk<{ data: EndpointView[] }>(chancery, 'GET', '/webhooks')
  assert.ok(data.length > 1 && data.every(endpoint => endpoint.id !== id))
  await assertNotDelivered('/removed')
  assert.equal(receiver.eventsAt('/removed').length, arrived)
})

test('of two endpoints added concurrently as the tenth one is rejected, and then every other', async () => {
  const whose = { player_id: 'collector' }
  for (let number = 1; number <= 9; number += 1)
    await addActiveEndpoint(chancery, receiver.url(`/many-${number}`), whose)
  const add = (path: string) =>
    requestOperator(chancery, 'POST', '/webhooks', { ...whose, url: receiver.url(path) })
  const responses = await Promise.all([add('/tenth'), add('/also-tenth')])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 400])
  const request = { ...whose, url: receiver.url('/eleventh') }
  await assertRejected(chancery, ['POST', '/webhooks', request], 400, /10 endpoints.*Remove one/)
  const { data } = await requestOk<{ data: EndpointView[] }>(chancery, 'GET', '/webhooks?player_id=collector')
  assert.equal(data.length, 10)
  assert.deepEqual(receiver.testsAt('/eleventh'), [])
  // Removed endpoints do not count.
  await requestOk(chancery, 'DELETE', `/webhooks/${data[0]?.id}`)
  await addActiveEndpoint(chancery, receiver.url('/eleventh'), whose)
})

test('an endpoint is found as it was returned when added, without its secret', async () => {
  const { secret, test: _, ...added } = await addActiveEndpoint(chancery, receiver.url('/found'))
  assert.deepEqual(await findEndpoint(chancery, added.id), added)
})
