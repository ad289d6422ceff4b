import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { smallWorld } from '../http/world.ts'
import { nation } from '../ingest/facts.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook-receiver.ts'
import {
  type AddedEndpoint,
  addEndpoint,
  addHearing,
  assertRefused,
  deliveriesOf,
  done,
  findEndpoint,
  newsOf,
  operated,
  type ShownEndpoint,
} from './owner.ts'
import { isSignedBy, verified } from './verified.ts'

let chancery: TestServer
let receiver: WebhookReceiver
before(async () => {
  chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  receiver = await startWebhookReceiver()
  await chancery.ingest(smallWorld(), { announce: false })
})
afterAll(async () => {
  await chancery.close()
  await receiver.close()
})

let told = 0
/** Something that everybody hears who wants to. Answers its place in the log. */
async function tellSomething(): Promise<string> {
  const { last_seq } = await chancery.ingest([nation(`told-${told++}`)], { waits: false })
  return `evt_${last_seq}`
}

const hears = (path: string, id: string) =>
  until(() => receiver.newsAt(path).some(message => message.id === id), `${path} hears ${id}`)

/** Tells something that `path` does not hear, although another endpoint hears it and what follows. */
async function assertDeaf(path: string): Promise<void> {
  const id = await tellSomething()
  const next = await tellSomething()
  await hears('/witness', next)
  assert.ok(!receiver.newsAt(path).some(message => [id, next].includes(message.id)), `${path} hears`)
}

test('a successful test activates an endpoint', async () => {
  await addHearing(chancery, receiver.url('/witness'))
  const { test: answer, ...endpoint } = await addEndpoint(chancery, receiver.url('/added'), {
    description: 'my bot',
    types: ['nation.*'],
  })
  assert.deepEqual(
    [endpoint.status, endpoint.description, endpoint.types, endpoint.nation_ids],
    ['active', 'my bot', ['nation.*'], null],
  )
  assert.deepEqual([answer.has_arrived, answer.status, answer.error, answer.answer], [true, 204, null, ''])
  const [message] = receiver.testsAt('/added')
  assert.ok(message)
  const { type, data } = verified(endpoint.secret, message)
  assert.deepEqual([type, data.type, data.id, data.seq], ['webhook.test', 'webhook.test', message.id, 0])
  await hears('/added', await tellSomething())
})

test('a failed test leaves an endpoint unconfirmed, with the reason', async () => {
  receiver.answer('/shy', withStatus(503, 'not yet'))
  const { id, status, test: answer } = await addEndpoint(chancery, receiver.url('/shy'))
  assert.equal(status, 'unconfirmed')
  assert.deepEqual([answer.has_arrived, answer.status, answer.answer], [false, 503, 'not yet'])
  const [booked] = await deliveriesOf(chancery, id)
  assert.deepEqual([booked?.type, booked?.state, booked?.event_id], ['webhook.test', 'failed', null])
  await assertDeaf('/shy')
  const again = await done<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/test`)
  assert.deepEqual([again.status, again.test.status], ['unconfirmed', 503])
  receiver.answer('/shy', withStatus(200))
  assert.equal((await done(chancery, 'POST', `/webhooks/${id}/test`)).status, 'active')
  await hears('/shy', await tellSomething())
})

test('a refused connection is reported', async () => {
  const closed = await startWebhookReceiver()
  await closed.close()
  const { status, test: answer } = await addEndpoint(chancery, closed.url('/nobody'))
  assert.equal(status, 'unconfirmed')
  assert.deepEqual([answer.status, answer.error, answer.answer], [null, 'connection_failed', null])
})

test('a nation names the player who leads it', async () => {
  const { player_id } = await addEndpoint(chancery, receiver.url('/of-nation'), {
    player_id: undefined,
    nation_id: 'n1',
  })
  assert.equal(player_id, 'player-of-n1')
  const { data } = await done<{ data: ShownEndpoint[] }>(chancery, 'GET', '/webhooks?nation_id=n1')
  assert.deepEqual(
    data.map(endpoint => endpoint.player_id),
    ['player-of-n1'],
  )
})

test('rotated secrets sign together with their successors', async () => {
  const { id, secret: older } = await addHearing(chancery, receiver.url('/rotating'))
  const { secret: newer } = await done<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/rotate`)
  assert.match(newer, /^whsec_/)
  assert.notEqual(newer, older)
  await hears('/rotating', await tellSomething())
  const [message] = receiver.newsAt('/rotating')
  assert.ok(message)
  for (const secret of [older, newer]) verified(secret, message)
  const third = await done<AddedEndpoint>(chancery, 'POST', `/webhooks/${id}/rotate`)
  await hears('/rotating', await tellSomething())
  const last = receiver.newsAt('/rotating').at(-1)
  assert.ok(last)
  assert.deepEqual(
    [older, newer, third.secret].map(secret => isSignedBy(secret, last)),
    [true, true, true],
  )
})

test('a disabled endpoint receives nothing, and new events when it is enabled again', async () => {
  const { id } = await addHearing(chancery, receiver.url('/switched'))
  const off = await done(chancery, 'POST', `/webhooks/${id}/disable`)
  assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'owner'])
  assert.ok(Date.parse(off.disabled_at ?? '') <= Date.now())
  await assertDeaf('/switched')
  receiver.answer('/switched', withStatus(500))
  assert.equal((await done(chancery, 'POST', `/webhooks/${id}/enable`)).status, 'disabled')
  receiver.answer('/switched', withStatus(204))
  const on = await done(chancery, 'POST', `/webhooks/${id}/enable`)
  assert.deepEqual([on.status, on.disabled_reason, on.disabled_at], ['active', null, null])
  const next = await tellSomething()
  await hears('/switched', next)
  assert.deepEqual(
    receiver.newsAt('/switched').map(message => message.id),
    [next],
  )
})

/** What the database keeps of an endpoint, its deliveries and their attempts; and of attempts on deliveries that are gone. */
const keptOf = (id: string) =>
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
  const { id } = await addHearing(chancery, receiver.url('/removed'))
  const heard = await tellSomething()
  await hears('/removed', heard)
  receiver.answer('/removed', withStatus(500))
  await tellSomething()
  await until(
    async () => (await newsOf(chancery, id)).some(({ attempts }) => attempts[0]?.status === 500),
    'one waits for its retry',
  )
  assert.ok((await keptOf(id)).length > 5)
  assert.deepEqual(await done(chancery, 'DELETE', `/webhooks/${id}`), { id, removed: true })
  assert.deepEqual(await keptOf(id), [])
  const arrived = receiver.newsAt('/removed').length
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
    await assertRefused(chancery, request, 404, /webhook endpoint/)
  const { data } = await done<{ data: ShownEndpoint[] }>(chancery, 'GET', '/webhooks')
  assert.ok(data.length > 1 && data.every(endpoint => endpoint.id !== id))
  await assertDeaf('/removed')
  assert.equal(receiver.newsAt('/removed').length, arrived)
})

test('of two endpoints added concurrently as the tenth one is rejected, and then every other', async () => {
  const whose = { player_id: 'collector' }
  for (let number = 1; number <= 9; number += 1)
    await addHearing(chancery, receiver.url(`/many-${number}`), whose)
  const add = (path: string) => operated(chancery, 'POST', '/webhooks', { ...whose, url: receiver.url(path) })
  const answers = await Promise.all([add('/tenth'), add('/also-tenth')])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400])
  const request = { ...whose, url: receiver.url('/eleventh') }
  await assertRefused(chancery, ['POST', '/webhooks', request], 400, /10 endpoints.*Remove one/)
  const { data } = await done<{ data: ShownEndpoint[] }>(chancery, 'GET', '/webhooks?player_id=collector')
  assert.equal(data.length, 10)
  assert.deepEqual(receiver.testsAt('/eleventh'), [])
  // A player's endpoints are as many as there are, not as many as there were.
  await done(chancery, 'DELETE', `/webhooks/${data[0]?.id}`)
  await addHearing(chancery, receiver.url('/eleventh'), whose)
})

test('an endpoint is found as it was returned when added, without its secret', async () => {
  const { secret, test: _, ...added } = await addHearing(chancery, receiver.url('/found'))
  assert.deepEqual(await findEndpoint(chancery, added.id), added)
})
