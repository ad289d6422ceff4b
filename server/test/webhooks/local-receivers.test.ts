import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import {
  addActiveEndpoint,
  addEndpoint,
  assertRejected,
  eventDeliveriesOf,
  findEndpoint,
  requestOperator,
  startLocalWebhooks,
} from './owner.ts'

const database = await createTestDatabase()
const receiver = closeAfter(await startWebhookReceiver())
after(() => database.drop())

test('http and private addresses are rejected unless the operator allows them', async t => {
  const chancery = await startTestServer({}, { databaseUrl: database.url })
  t.after(chancery.close)
  const hosts: [string, RegExp][] = [
    [receiver.url('/hook'), /must begin with https:\/\/\.$/],
    ['http://bot.example/', /must begin with https/],
    ['https://127.0.0.1/', /reachable from the public internet/],
    ['https://127.1/', /reachable from the public internet/],
    ['https://0x7f000001/', /reachable from the public internet/],
    ['https://[::1]/', /reachable from the public internet/],
    ['https://[::ffff:127.0.0.1]/', /reachable from the public internet/],
    ['https://10.1.2.3/', /reachable from the public internet/],
    ['https://169.254.169.254/latest/meta-data', /reachable from the public internet/],
    ['https://localhost/', /one of the public internet/],
    ['https://bot.localhost/', /one of the public internet/],
    ['https://database/', /one of the public internet/],
  ]
  for (const [url, message] of hosts)
    await assertRejected(chancery, ['POST', '/webhooks', { player_id: 'p1', url }], 400, message)
  assert.deepEqual((await requestOperator(chancery, 'GET', '/webhooks')).body, { data: [] })
  assert.deepEqual(receiver.received, [])
})

test('a local endpoint gets nothing after a start without the permission, and the log states why', async t => {
  const allowing = await startLocalWebhooks({}, database.url)
  const plain = await addActiveEndpoint(allowing, receiver.url('/plain'))
  // The receiver has no TLS, so the endpoint stays unconfirmed.
  const secure = await addEndpoint(allowing, receiver.url('/secure').replace('http:', 'https:'))
  assert.equal(secure.test.error, 'tls_failed')
  await allowing.ingest([nation('n1')], { waits: false })
  await until(() => receiver.eventsAt('/plain').length === 1, 'an event arrives')
  await allowing.close()

  const strict = await startTestServer({}, { databaseUrl: database.url })
  await strict.ingest([nation('n2')], { waits: false })
  const second = async () =>
    (await eventDeliveriesOf(strict, plain.id)).find(({ event_id }) => event_id === 'evt_2')
  await until(async () => (await second())?.attempts.length === 1, 'it is attempted')
  const attempted = await second()
  assert.equal(attempted?.state, 'pending')
  assert.deepEqual(
    attempted?.attempts.map(({ status, error, ...attempt }) => [status, error, attempt.answer]),
    [[null, 'url_not_allowed', null]],
  )
  assert.notEqual((await findEndpoint(strict, plain.id)).failing_since, null)
  for (const { id } of [plain, secure]) {
    const { body } = await requestOperator<{ test: { error: string } }>(
      strict,
      'POST',
      `/webhooks/${id}/test`,
    )
    assert.equal(body.test.error, 'url_not_allowed')
  }
  assert.equal(receiver.eventsAt('/plain').length, 1)
  assert.equal(receiver.testsAt('/plain').length, 1)
  await strict.close()

  // The failed delivery is retried like any other.
  const again = await startLocalWebhooks({}, database.url)
  t.after(again.close)
  await until(() => receiver.eventsAt('/plain').length === 2, 'the retry arrives')
  assert.equal((await eventDeliveriesOf(again, plain.id))[0]?.event_id, 'evt_2')
})
