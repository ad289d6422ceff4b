import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bases, demoProfile } from '@chancery/contract'
import { put } from '../ingest/facts.ts'
import { withConnection } from '../support/database-url.ts'
import { until } from '../support/until.ts'
import { respondStatus, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { eventJsonOf, verified } from '../webhooks/verified.ts'
import { type CanaryServer, startCanaryServer } from './canary-server.ts'
import { canaryWorld } from './canary-world.ts'
import { closeConnections, sendRequest } from './exchange.ts'

interface Added {
  id: string
  secret: string
}

const world = canaryWorld(demoProfile)
const { canaries, secretsOf } = world
let server: CanaryServer
let receiver: WebhookReceiver
/** Secrets that a response has shown once. No other text may contain them. */
const shown: string[] = []
let active: Added
let failing: Added
let eventCount: number

before(async () => {
  receiver = await startWebhookReceiver()
  server = await startCanaryServer(world, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  active = await add('/active')
  failing = await add('/failing')
  receiver.respondWith('/failing', respondStatus(500, 'no'))
  await server.ingestFacts()
  const { body } = await sendRequest(server.url, `${bases.canonical}/events?limit=1`)
  eventCount = (JSON.parse(body) as { pagination: { total: number } }).pagination.total
  await until(() => receiver.eventsAt('/active').length === eventCount, 'all events arrive')
  await until(() => receiver.eventsAt('/failing').length > 0, 'some fail')
})
after(async () => {
  closeConnections()
  await server.close()
  await receiver.close()
})

async function add(path: string, player_id = 'p_leader'): Promise<Added> {
  const made = await server.operate('POST', '/webhooks', { player_id, url: receiver.url(path) })
  assert.equal(made.status, 201, made.body)
  const { id, secret } = made.json<Added>()
  shown.push(secret)
  return { id, secret }
}

/** The secrets in a text: of the game, the endpoints and the operator. Base64 may be escaped for JSON or for a URL. */
function foundIn(text: string): string[] {
  const signing = shown.flatMap(secret => {
    const key = secret.replace('whsec_', '')
    return [
      key,
      encodeURIComponent(key),
      Buffer.from(key, 'base64').toString('hex'),
      JSON.stringify(key).slice(1, -1),
    ]
  })
  const all = [...canaries.map(canary => canary.text), ...signing, server.operatorToken]
  return [...new Set(all)].filter(secret => text.includes(secret))
}

test('no webhook message contains a secret in its body or headers', () => {
  assert.ok(eventCount > 20)
  assert.ok(canaries.length > 500)
  for (const message of receiver.received) {
    verified(message.path === '/active' ? active.secret : failing.secret, message)
    assert.deepEqual(foundIn(message.body + JSON.stringify(message.headers)), [], eventJsonOf(message))
  }
})

/** Everything that the operator can read of webhooks. */
async function readAll(): Promise<string[]> {
  const paths = [
    '/webhooks',
    '/webhooks?player_id=p_leader',
    ...[active, failing].flatMap(({ id }) => [
      `/webhooks/${id}`,
      `/webhooks/${id}/deliveries?limit=100`,
      `/webhooks/${id}/deliveries?limit=100&state=pending`,
    ]),
    '/status',
    '/metrics',
  ]
  const responses = await Promise.all(paths.map(path => server.operate('GET', path)))
  for (const [index, { status, body }] of responses.entries())
    assert.equal(status, 200, `${paths[index]}: ${body}`)
  return responses.map(({ body }) => body)
}

test('a secret is shown where it is created, and in no other response, metric or log line', async () => {
  const withoutSecret = ['test', 'disable', 'enable'].map(verb => `/webhooks/${active.id}/${verb}`)
  for (const path of withoutSecret) {
    const { status, body } = await server.operate('POST', path)
    assert.equal(status, 200, body)
    assert.deepEqual(foundIn(body), [], path)
  }
  const rotated = await server.operate('POST', `/webhooks/${active.id}/rotate`)
  const { secret } = rotated.json<Added>()
  assert.notEqual(secret, active.secret)
  assert.deepEqual(foundIn(rotated.body), [], 'the one before it is not shown again')
  shown.push(secret)
  assert.deepEqual(foundIn(rotated.body), [secret.replace('whsec_', '')])
  const replayed = await server.operate('POST', `/webhooks/${active.id}/replay`, {
    since: '2026-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
  })
  assert.deepEqual(replayed.json<unknown>(), { queued: eventCount })
  for (const body of await readAll()) assert.deepEqual(foundIn(body), [])
  const suspended = await server.operate('POST', '/players/p_leader/suspend', {})
  assert.deepEqual(foundIn(suspended.body), [])
  assert.deepEqual(foundIn(server.written()), [])
})

test('when everything fails, no error and no log line contains a signing secret', async () => {
  const planted = `whsec_${Buffer.from('a canary of thirty-two bytes, yes').toString('base64')}`
  shown.push(planted)
  const { id } = await add('/broken', 'p_officer')
  const before = server.written().length
  await withConnection(server.databaseUrl, async client => {
    await client.query(
      `update chancery_outbound.endpoint set secret = $1, previous_secret = $1,
        older_secrets = jsonb_build_array(jsonb_build_object('secret', $1::text, 'ends_at', now())) where id = $2`,
      [planted, id],
    )
    // The database quotes values in its messages: these must not be passed on.
    await client.query(`
      create function chancery_outbound.complain() returns trigger language plpgsql as
      $$ begin raise exception 'no place for % and %', new, old; end $$;
      create trigger complain before insert or update on chancery_outbound.endpoint
      for each row execute function chancery_outbound.complain()`)
    const broken: [string, string, unknown?][] = [
      ['POST', `/webhooks/${id}/rotate`],
      ['POST', `/webhooks/${id}/disable`],
      ['POST', '/webhooks', { player_id: 'p_ally', url: receiver.url('/never') }],
    ]
    for (const [method, path, body] of broken) {
      const response = await server.operate(method, path, body)
      assert.equal(response.status, 500, path)
      assert.deepEqual(foundIn(response.body), [], path)
    }
    // Its health cannot be stored either: a background task logs that.
    receiver.respondWith('/broken', respondStatus(500))
    const [fact] = secretsOf('nation', 'n_leader', ['player'])
    const news = put('nation', { id: 'n_news', nation_name: 'News' })
    const ingested = await server.operate(
      'POST',
      '/facts',
      { facts: [fact, news] },
      { 'idempotency-key': 'news' },
    )
    assert.equal(ingested.status, 200, ingested.body)
    await until(() => receiver.eventsAt('/broken').length > 0, 'it is tried')
    await until(
      () => server.written().slice(before).includes('a background task failed'),
      'the failure is logged',
    )
    await client.query('alter table chancery_outbound.endpoint rename to elsewhere')
    const list = await server.operate('GET', '/webhooks')
    assert.equal(list.status, 500)
    assert.deepEqual(foundIn(list.body), [])
    await client.query('alter table chancery_outbound.elsewhere rename to endpoint')
    await client.query('drop trigger complain on chancery_outbound.endpoint')
  })
  const metrics = await server.operate('GET', '/metrics')
  assert.match(metrics.body, /chancery_webhook_attempts_total/)
  assert.deepEqual(foundIn(metrics.body), [])
  const written = server.written().slice(before)
  assert.match(written, /a request failed/)
  assert.deepEqual(foundIn(written), [])
})
