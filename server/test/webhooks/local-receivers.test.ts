import assert from 'node:assert/strict'
import { after as afterAll, before, type TestContext, test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { addEndpoint, addHearing, assertRefused, findEndpoint, newsOf, operated } from './owner.ts'

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

/** A server on the one database, as long as the test or until it is closed. */
async function start(t: TestContext, env: Record<string, string> = {}) {
  const chancery = await startTestServer(env, { databaseUrl: database.url })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= chancery.close()
    return closing
  }
  t.after(close)
  return { ...chancery, close } satisfies TestServer
}

test('http and private addresses are rejected unless the operator allows them', async t => {
  const chancery = await start(t)
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
    await assertRefused(chancery, ['POST', '/webhooks', { player_id: 'p1', url }], 400, message)
  assert.deepEqual((await operated(chancery, 'GET', '/webhooks')).body, { data: [] })
  assert.deepEqual(receiver.received, [])
})

test('a local endpoint gets nothing after a start without the permission, and the log states why', async t => {
  const allowing = await start(t, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  const plain = await addHearing(allowing, receiver.url('/plain'))
  // Nobody speaks TLS there: it is never confirmed, and a test of it says what is not allowed.
  const secure = await addEndpoint(allowing, receiver.url('/secure').replace('http:', 'https:'))
  assert.equal(secure.test.error, 'tls_failed')
  await allowing.ingest([nation('n1')], { waits: false })
  await until(() => receiver.newsAt('/plain').length === 1, 'it hears')
  await allowing.close()

  const strict = await start(t)
  await strict.ingest([nation('n2')], { waits: false })
  const second = async () => (await newsOf(strict, plain.id)).find(({ event_id }) => event_id === 'evt_2')
  await until(async () => (await second())?.attempts.length === 1, 'it is tried')
  const tried = await second()
  assert.equal(tried?.state, 'pending')
  assert.deepEqual(
    tried?.attempts.map(({ status, error, answer }) => [status, error, answer]),
    [[null, 'url_not_allowed', null]],
  )
  assert.notEqual((await findEndpoint(strict, plain.id)).failing_since, null)
  for (const { id } of [plain, secure]) {
    const { body } = await operated<{ test: { error: string } }>(strict, 'POST', `/webhooks/${id}/test`)
    assert.equal(body.test.error, 'url_not_allowed')
  }
  assert.equal(receiver.newsAt('/plain').length, 1)
  assert.equal(receiver.testsAt('/plain').length, 1)
  await strict.close()

  // What failed meanwhile is retried like everything else.
  const again = await start(t, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  await until(() => receiver.newsAt('/plain').length === 2, 'it arrives by the retry')
  assert.equal((await newsOf(again, plain.id))[0]?.event_id, 'evt_2')
})
