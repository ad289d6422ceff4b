import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { respondStatus } from '../support/webhook-receiver.ts'
import {
  addActiveEndpoint,
  addEndpoint,
  assertRejected,
  eventDeliveriesOf,
  findEndpoint,
  requestOk,
  startLocalWebhooks,
  startWebhookServer,
} from './owner.ts'

const database = await createTestDatabase()
const { chancery, receiver } = await startWebhookServer({}, database.url)
/** Another server on the same database. */
const other = closeAfter(await startLocalWebhooks({}, database.url))
after(() => database.drop())

const suspend = (server: TestServer, player: string, body?: object) =>
  requestOk<Record<string, unknown>>(server, 'POST', `/players/${player}/suspend`, body)

let nations = 0
async function ingestEvent(): Promise<string> {
  const { last_seq } = await chancery.ingest([nation(`n${nations++}`)], { waits: false })
  return `evt_${last_seq}`
}

test('the keys of a suspended player are rejected within a second, on every server, until the player is resumed', async () => {
  const { key } = await chancery.makeKey({ player_id: 'keeper' })
  const { key: bystander } = await chancery.makeKey({ player_id: 'bystander' })
  const statusAt = async (server: TestServer, bearer: string) =>
    (await server.get('/me/key', { key: bearer })).status
  for (const server of [chancery, other]) assert.equal(await statusAt(server, key), 200)
  await suspend(chancery, 'keeper', { note: 'sold codes' })
  assert.equal(await statusAt(chancery, key), 401, 'at once on the server that suspended the player')
  await until(async () => (await statusAt(other, key)) === 401, 'on the other server too', 1_000)
  // A key that is created during the suspension does not work either.
  const { key: later } = await chancery.makeKey({ player_id: 'keeper' })
  assert.equal(await statusAt(chancery, later), 401)
  assert.equal(await statusAt(other, bystander), 200)
  assert.deepEqual(await requestOk(chancery, 'POST', '/players/keeper/resume'), {
    player_id: 'keeper',
    suspended_at: null,
  })
  assert.equal(await statusAt(chancery, key), 200)
  await until(async () => (await statusAt(other, later)) === 200, 'on the other server too', 1_000)
  await assertRejected(chancery, ['POST', '/players/keeper/resume'], 404, /suspension/)
})

test('the endpoints of a suspended player are disabled with a reason, and nothing is delivered or retried', async () => {
  const whose = { player_id: 'p1' }
  await addActiveEndpoint(chancery, receiver.url('/other'))
  const active = await addActiveEndpoint(chancery, receiver.url('/active'), whose)
  const off = await addActiveEndpoint(chancery, receiver.url('/off'), whose)
  await requestOk(chancery, 'POST', `/webhooks/${off.id}/disable`)
  receiver.respondWith('/failing', respondStatus(204))
  const failing = await addActiveEndpoint(chancery, receiver.url('/failing'), whose)
  receiver.respondWith('/failing', respondStatus(500))
  await ingestEvent()
  await until(
    async () => (await eventDeliveriesOf(chancery, failing.id))[0]?.attempts.length === 1,
    'one has failed',
  )

  const result = await suspend(chancery, 'p1')
  assert.deepEqual([result.player_id, result.note, result.webhooks_disabled], ['p1', null, 2])
  const reasons = await Promise.all(
    [active, failing, off].map(async ({ id }) => {
      const { status, disabled_reason } = await findEndpoint(other, id)
      return [status, disabled_reason]
    }),
  )
  assert.deepEqual(reasons, [
    ['disabled', 'player_suspended'],
    ['disabled', 'player_suspended'],
    ['disabled', 'owner'],
  ])
  assert.equal((await eventDeliveriesOf(chancery, failing.id))[0]?.state, 'failed')
  receiver.respondWith('/failing', respondStatus(204))
  const arrived = receiver.eventsAt('/failing').length
  const missed = await ingestEvent()
  await until(
    () => receiver.eventsAt('/other').some(({ id }) => id === missed),
    'it arrives at another endpoint',
  )
  assert.ok(!receiver.eventsAt('/active').some(({ id }) => id === missed))
  assert.equal(receiver.eventsAt('/failing').length, arrived)

  const again = await suspend(other, 'p1', { note: 'and again' })
  assert.deepEqual([again.suspended_at, again.webhooks_disabled], [result.suspended_at, 0])
  for (const { id } of [active, off])
    await assertRejected(chancery, ['POST', `/webhooks/${id}/enable`], 400, /suspended/)
  const one = { ...whose, url: receiver.url('/another') }
  await assertRejected(chancery, ['POST', '/webhooks', one], 400, /suspended/)
  assert.deepEqual(receiver.testsAt('/another'), [])

  await requestOk(chancery, 'POST', '/players/p1/resume')
  assert.equal((await findEndpoint(chancery, active.id)).status, 'disabled', 'resuming enables no endpoint')
  assert.equal((await requestOk(chancery, 'POST', `/webhooks/${active.id}/enable`)).status, 'active')
  const next = await ingestEvent()
  await until(() => receiver.eventsAt('/active').some(({ id }) => id === next), 'an event arrives again')
  assert.ok(!receiver.eventsAt('/active').some(({ id }) => id === missed))
  assert.equal((await addEndpoint(chancery, one.url, whose)).status, 'active')
})

test('a successful test does not enable an endpoint of a suspended player', async () => {
  receiver.respondWith('/unconfirmed', respondStatus(500))
  const { id } = await addEndpoint(chancery, receiver.url('/unconfirmed'), { player_id: 'p2' })
  await suspend(chancery, 'p2')
  receiver.respondWith('/unconfirmed', respondStatus(204))
  assert.equal((await requestOk(chancery, 'POST', `/webhooks/${id}/test`)).status, 'disabled')
  await assertRejected(chancery, ['POST', `/webhooks/${id}/enable`], 400, /suspended/)
  assert.equal((await findEndpoint(chancery, id)).disabled_reason, 'player_suspended')
})
