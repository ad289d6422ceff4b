import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook-receiver.ts'
import { addEndpoint, addHearing, assertRefused, done, findEndpoint, newsOf } from './owner.ts'

let chancery: TestServer
/** Another server on the same database. */
let other: TestServer
let receiver: WebhookReceiver
before(async () => {
  chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  other = await startTestServer({
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_DATABASE_URL: chancery.databaseUrl,
  })
  receiver = await startWebhookReceiver()
})
afterAll(async () => {
  await other.close()
  await chancery.close()
  await receiver.close()
})

const suspended = (server: TestServer, player: string, body?: object) =>
  done<Record<string, unknown>>(server, 'POST', `/players/${player}/suspend`, body)

let told = 0
async function tellSomething(): Promise<string> {
  const { last_seq } = await chancery.ingest([nation(`n${told++}`)], { waits: false })
  return `evt_${last_seq}`
}

test('the keys of a suspended player are rejected within a second, on every server, until the player is resumed', async () => {
  const { key } = await chancery.makeKey({ player_id: 'keeper' })
  const { key: bystander } = await chancery.makeKey({ player_id: 'bystander' })
  const statusAt = async (server: TestServer, bearer: string) =>
    (await server.get('/me/key', { key: bearer })).status
  for (const server of [chancery, other]) assert.equal(await statusAt(server, key), 200)
  await suspended(chancery, 'keeper', { note: 'sold codes' })
  assert.equal(await statusAt(chancery, key), 401, 'at once where it was said')
  await until(async () => (await statusAt(other, key)) === 401, 'elsewhere too', 1_000)
  // A key that is made meanwhile opens nothing either.
  const { key: later } = await chancery.makeKey({ player_id: 'keeper' })
  assert.equal(await statusAt(chancery, later), 401)
  assert.equal(await statusAt(other, bystander), 200)
  assert.deepEqual(await done(chancery, 'POST', '/players/keeper/resume'), {
    player_id: 'keeper',
    suspended_at: null,
  })
  assert.equal(await statusAt(chancery, key), 200)
  await until(async () => (await statusAt(other, later)) === 200, 'elsewhere too', 1_000)
  await assertRefused(chancery, ['POST', '/players/keeper/resume'], 404, /suspension/)
})

test('the endpoints of a suspended player are disabled with a reason, and nothing is delivered or retried', async () => {
  const whose = { player_id: 'p1' }
  await addHearing(chancery, receiver.url('/witness'))
  const hearing = await addHearing(chancery, receiver.url('/hearing'), whose)
  const off = await addHearing(chancery, receiver.url('/off'), whose)
  await done(chancery, 'POST', `/webhooks/${off.id}/disable`)
  receiver.answer('/failing', withStatus(204))
  const failing = await addHearing(chancery, receiver.url('/failing'), whose)
  receiver.answer('/failing', withStatus(500))
  await tellSomething()
  await until(async () => (await newsOf(chancery, failing.id))[0]?.attempts.length === 1, 'one has failed')

  const answer = await suspended(chancery, 'p1')
  assert.deepEqual([answer.player_id, answer.note, answer.webhooks_disabled], ['p1', null, 2])
  const reasons = await Promise.all(
    [hearing, failing, off].map(async ({ id }) => {
      const { status, disabled_reason } = await findEndpoint(other, id)
      return [status, disabled_reason]
    }),
  )
  assert.deepEqual(reasons, [
    ['disabled', 'player_suspended'],
    ['disabled', 'player_suspended'],
    ['disabled', 'owner'],
  ])
  assert.equal((await newsOf(chancery, failing.id))[0]?.state, 'failed')
  receiver.answer('/failing', withStatus(204))
  const arrived = receiver.newsAt('/failing').length
  const missed = await tellSomething()
  await until(() => receiver.newsAt('/witness').some(({ id }) => id === missed), 'others hear')
  assert.ok(!receiver.newsAt('/hearing').some(({ id }) => id === missed))
  assert.equal(receiver.newsAt('/failing').length, arrived)

  const again = await suspended(other, 'p1', { note: 'and again' })
  assert.deepEqual([again.suspended_at, again.webhooks_disabled], [answer.suspended_at, 0])
  for (const { id } of [hearing, off])
    await assertRefused(chancery, ['POST', `/webhooks/${id}/enable`], 400, /suspended/)
  const one = { ...whose, url: receiver.url('/another') }
  await assertRefused(chancery, ['POST', '/webhooks', one], 400, /suspended/)
  assert.deepEqual(receiver.testsAt('/another'), [])

  await done(chancery, 'POST', '/players/p1/resume')
  assert.equal((await findEndpoint(chancery, hearing.id)).status, 'disabled', 'resuming switches nothing on')
  assert.equal((await done(chancery, 'POST', `/webhooks/${hearing.id}/enable`)).status, 'active')
  const heard = await tellSomething()
  await until(() => receiver.newsAt('/hearing').some(({ id }) => id === heard), 'it hears again')
  assert.ok(!receiver.newsAt('/hearing').some(({ id }) => id === missed))
  assert.equal((await addEndpoint(chancery, one.url, whose)).status, 'active')
})

test('a successful test does not enable an endpoint of a suspended player', async () => {
  receiver.answer('/unconfirmed', withStatus(500))
  const { id } = await addEndpoint(chancery, receiver.url('/unconfirmed'), { player_id: 'p2' })
  await suspended(chancery, 'p2')
  receiver.answer('/unconfirmed', withStatus(204))
  assert.equal((await done(chancery, 'POST', `/webhooks/${id}/test`)).status, 'disabled')
  await assertRefused(chancery, ['POST', `/webhooks/${id}/enable`], 400, /suspended/)
  assert.equal((await findEndpoint(chancery, id)).disabled_reason, 'player_suspended')
})
