import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, type OperatorOperation, operatorOperations } from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { createDocumentCheck } from './document-check.ts'
import { makeToken, operateAs } from './tokens.ts'

const { check, seen } = createDocumentCheck(contractFor(demoProfile))

const receiver = closeAfter(await startWebhookReceiver())
const chancery = closeAfter(await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))
await chancery.ingest(smallWorld())

/** Sends a request with an id in its path, and compares the response with the document. */
async function request<T = Record<string, unknown>>(
  method: string,
  path: string,
  {
    id = '',
    query: search = '',
    body,
    headers,
  }: { id?: string; query?: string; body?: unknown; headers?: Record<string, string> } = {},
) {
  const url = path.replace(/\{\w+\}/, encodeURIComponent(id)) + search
  const response = await chancery.operate(method, url, body, headers)
  return { status: response.status, body: await check<T>(method, path, response) }
}
const expect = async (status: number, ...args: Parameters<typeof request>) => {
  const response = await request(...args)
  assert.equal(response.status, status, JSON.stringify(response.body))
  return response.body
}
const nation = (id: string, more: object = {}) =>
  put('nation', { id, nation_name: id, leader_name: 'L', ...more })
const asBatch = (batch: string) => ({ headers: { 'idempotency-key': batch } })

test('operations on facts, feeds and rejected batches respond as documented', async () => {
  const facts = [nation('d1')]
  await expect(200, 'POST', '/facts', { body: { facts }, ...asBatch('d-1') })
  await expect(200, 'POST', '/facts', { body: { facts }, ...asBatch('d-1') })
  await expect(409, 'POST', '/facts', { body: { facts: [] }, ...asBatch('d-1') })
  const feed = { name: 'turns', after: null }
  await expect(200, 'GET', '/feeds/{name}', { id: 'turns' })
  await expect(200, 'POST', '/facts', { body: { facts, feed }, ...asBatch('d-2') })
  await expect(409, 'POST', '/facts', { body: { facts, feed }, ...asBatch('d-3') })
  await expect(200, 'GET', '/feeds/{name}', { id: 'turns' })
  await expect(404, 'GET', '/feeds/{name}', { id: 'no feed' })
  const heartbeat = {
    sender: 'turns.py',
    next_within_seconds: 60,
    read_at: null,
    error: 'the disk is full',
    rows: null,
    set_aside: 0,
    waiting_views: [{ view: 'v', reason: 'r' }],
  }
  await expect(200, 'PUT', '/feeds/{name}/heartbeat', { id: 'turns', body: heartbeat })
  await expect(200, 'GET', '/status')
  await expect(404, 'PUT', '/feeds/{name}/heartbeat', { id: 'no feed', body: heartbeat })
  await expect(400, 'PUT', '/feeds/{name}/heartbeat', { id: 'turns', body: {} })
  await expect(200, 'DELETE', '/feeds/{name}/heartbeat', { id: 'turns' })
  await expect(404, 'DELETE', '/feeds/{name}/heartbeat', { id: 'turns' })
  const wrong = { facts: [nation('d4'), { op: 'whatever' }] }
  await expect(422, 'POST', '/facts', { body: wrong, ...asBatch('d-4') })
  await expect(422, 'POST', '/facts', { body: wrong, ...asBatch('d-5'), query: '?keep=false' })
  for (const body of [{ facts: 'x' }, { facts: [], feed: { name: 'turns' } }])
    await expect(400, 'POST', '/facts', { body, ...asBatch('d-6') })
  await expect(400, 'POST', '/facts', { body: { facts } })
  await expect(400, 'POST', '/facts', { body: { facts }, ...asBatch('d-7'), query: '?check=true' })
  for (const query of ['?chek=true', '?check=yes', '?check=true&check=true'])
    await expect(400, 'POST', '/facts', { body: { facts }, ...asBatch('d-8'), query })

  const stream = await fetch(`${chancery.operatorUrl}/facts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${chancery.operatorToken}`,
      'content-type': 'application/x-ndjson',
    },
    body: `${JSON.stringify(nation('d9'))}\n{"op":"commit","batch":"d-9"}\n{"op":"x"}\n{"op":"commit","batch":"d-10"}\n{"op":"put"}\n`,
  })
  await check('POST', '/facts', stream)

  const { data } = (await expect(200, 'GET', '/refused')) as { data: { id: string }[] }
  assert.deepEqual(data.map(({ id }) => id).toSorted(), ['d-10', 'd-4'])
  await expect(200, 'GET', '/refused', { query: '?limit=1&feed=turns' })
  await expect(400, 'GET', '/refused', { query: '?limit=0' })
  await expect(200, 'GET', '/refused/{id}', { id: 'd-4' })
  await expect(404, 'GET', '/refused/{id}', { id: 'none' })
  await expect(422, 'POST', '/refused/{id}/retry', { id: 'd-4' })
  const late = {
    facts: [put('alliance_member', { nation_id: 'd11', alliance_id: 'a1' })],
  }
  await expect(422, 'POST', '/facts', { body: late, ...asBatch('d-11') })
  await expect(200, 'POST', '/facts', { body: { facts: [nation('d11')] }, ...asBatch('d-12') })
  await expect(200, 'POST', '/refused/{id}/retry', { id: 'd-11', body: {} })
  await expect(200, 'POST', '/facts', { body: { facts: [nation('d4')] }, ...asBatch('d-13') })
  await expect(409, 'POST', '/refused/{id}/retry', { id: 'd-4' })
  await expect(422, 'POST', '/refused/{id}/retry', { id: 'd-4', body: { anyway: true } })
  await expect(400, 'POST', '/refused/{id}/retry', { id: 'd-4', body: { anyway: 'yes' } })
  await expect(404, 'POST', '/refused/{id}/retry', { id: 'none' })
  await expect(200, 'DELETE', '/refused/{id}', { id: 'd-4' })
  await expect(404, 'DELETE', '/refused/{id}', { id: 'd-4' })
  const ofFeed = { facts: [{ op: 'whatever' }], feed: { name: 'dropped', after: null } }
  await expect(422, 'POST', '/facts', { body: ofFeed, ...asBatch('d-20') })
  const { dropped } = await expect(200, 'DELETE', '/refused', { query: '?feed=dropped' })
  assert.equal(dropped, 1)
  await expect(404, 'GET', '/refused/{id}', { id: 'd-20' })
  await expect(200, 'GET', '/refused/{id}', { id: 'd-10' })
  await expect(400, 'DELETE', '/refused')
})

test('operations on codes and links respond as documented', async () => {
  await expect(201, 'POST', '/codes', { body: { nation_id: 'n1', for: '4711' } })
  await expect(404, 'POST', '/codes', { body: { nation_id: 'none' } })
  await expect(201, 'POST', '/handovers', { body: { nation_id: 'n1' } })
  await expect(201, 'POST', '/handovers', { body: { player_id: 'p1', landing: 'keys' } })
  await expect(400, 'POST', '/handovers', { body: { player_id: 'p1', nation_id: 'n1' } })
  await expect(404, 'POST', '/handovers', { body: { nation_id: 'none' } })
})

test('operations on keys and players respond as documented', async () => {
  const body = { nation_id: 'n1', name: 'x', expires_at: '2130-01-01T00:00:00+02:00', limit: 5 }
  const { id } = (await expect(201, 'POST', '/keys', { body })) as { id: string }
  await expect(400, 'POST', '/keys', { body: { ...body, scopes: ['everything'] } })
  await expect(404, 'POST', '/keys', { body: { ...body, nation_id: 'none' } })
  for (const query of ['', '?nation_id=n1', '?player_id=unknown'])
    await expect(200, 'GET', '/keys', { query })
  await expect(400, 'GET', '/keys', { query: '?nation=n1' })
  await expect(404, 'GET', '/keys', { query: '?nation_id=none' })
  await expect(200, 'PUT', '/keys/{id}/limit', { id, body: { limit: null, note: 'as usual' } })
  await expect(404, 'PUT', '/keys/{id}/limit', { id: 'none', body: { limit: 1 } })
  await expect(200, 'POST', '/keys/{id}/revoke', { id })
  await expect(404, 'POST', '/keys/{id}/revoke', { id: 'none' })
  await expect(200, 'POST', '/players/{id}/suspend', { id: 'p8', body: { note: 'x' } })
  await expect(200, 'POST', '/players/{id}/suspend', { id: 'p8' })
  await expect(400, 'POST', '/handovers', { body: { player_id: 'p8' } })
  for (const query of ['', '?is_suspended=true', '?is_suspended=false&after=p1&limit=2'])
    await expect(200, 'GET', '/players', { query })
  await expect(400, 'GET', '/players', { query: '?limit=0' })
  await expect(200, 'GET', '/players/{id}', { id: 'p8' })
  await expect(404, 'GET', '/players/{id}', { id: 'none' })
  await expect(200, 'POST', '/players/{id}/export', { id: 'p1' })
  await expect(404, 'POST', '/players/{id}/export', { id: 'none' })
  await expect(200, 'GET', '/keys/{id}/requests', { id })
  await expect(404, 'GET', '/keys/{id}/requests', { id: 'none' })
  await expect(400, 'GET', '/keys/{id}/requests', { id, query: '?limit=0' })
  await query(
    chancery.databaseUrl,
    `insert into chancery_access.limit_request (key_id, calls_per_minute, reason, requested_at) values ('${id}', 7, 'x', now())`,
  )
  await expect(200, 'GET', '/limit-requests')
  await expect(200, 'POST', '/limit-requests/{id}/approve', { id, body: { note: 'x' } })
  await expect(404, 'POST', '/limit-requests/{id}/approve', { id })
  await expect(400, 'POST', '/limit-requests/{id}/approve', { id, body: { limit: 0 } })
  await expect(404, 'POST', '/limit-requests/{id}/decline', { id })
  await query(chancery.databaseUrl, 'update chancery_access.limit_request set resolved_at = null')
  await expect(200, 'POST', '/limit-requests/{id}/decline', { id })
  await expect(200, 'POST', '/players/{id}/resume', { id: 'p8' })
  await expect(404, 'POST', '/players/{id}/resume', { id: 'p8' })
})

test('operations on webhooks respond as documented', async () => {
  const body = { player_id: 'p1', url: receiver.url('/documented'), types: ['war.*'] }
  const { id } = (await expect(201, 'POST', '/webhooks', { body })) as { id: string }
  receiver.respondWith('/failing', respondStatus(500, 'out of order'))
  await expect(201, 'POST', '/webhooks', { body: { ...body, url: receiver.url('/failing') } })
  await expect(400, 'POST', '/webhooks', { body: { ...body, types: ['nothing.*'] } })
  await expect(200, 'GET', '/webhooks', { query: '?player_id=p1' })
  await expect(200, 'GET', '/webhooks/{id}', { id })
  await expect(200, 'POST', '/webhooks/{id}/test', { id })
  await expect(200, 'POST', '/webhooks/{id}/rotate', { id })
  await expect(200, 'POST', '/webhooks/{id}/enable', { id })
  const war = put('war', {
    id: 'dw1',
    type: demoProfile.war_types[0]?.key,
    attacker: { nation_id: 'n1' },
    defender: { nation_id: 'n5' },
    declared_at: '2026-05-20T10:00:00Z',
  })
  await chancery.ingest([war])
  await expect(200, 'POST', '/webhooks/{id}/replay', {
    id,
    body: { since: '2020-01-01T00:00:00Z', until: '2130-01-01T00:00:00Z' },
  })
  await expect(200, 'POST', '/webhooks/{id}/replay', { id, body: { failed: true } })
  await expect(400, 'POST', '/webhooks/{id}/replay', { id, body: {} })
  await expect(404, 'POST', '/webhooks/{id}/replay', { id, body: { delivery: 'dlv_0' } })
  await expect(200, 'GET', '/webhooks/{id}/deliveries', { id, query: '?limit=5' })
  await expect(400, 'GET', '/webhooks/{id}/deliveries', { id, query: '?state=lost' })
  await expect(200, 'POST', '/webhooks/{id}/disable', { id })
  await expect(200, 'POST', '/webhooks/{id}/enable', { id })
  await expect(200, 'DELETE', '/webhooks/{id}', { id })
  await expect(404, 'GET', '/webhooks/{id}', { id })
})

test('operations on requests respond as documented', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  const sent = await chancery.get('/game', { key })
  await chancery.get('/game')
  const id = sent.headers.get('x-request-id') ?? ''
  await until(
    async () => (await chancery.operate('GET', `/requests/${id}`)).status === 200,
    'the call is written down',
  )
  await expect(200, 'GET', '/requests/{id}', { id })
  await expect(404, 'GET', '/requests/{id}', { id: 'req_none' })
  await expect(200, 'GET', '/usage/keys', { query: '?hours=9999&limit=3' })
  await expect(200, 'GET', '/usage/addresses')
  const limit = { limit: 0, expires_at: new Date(Date.now() + 3_600_000).toISOString(), note: 'x' }
  await expect(200, 'PUT', '/addresses/{address}', { id: '203.0.113.0/24', body: limit })
  await expect(400, 'PUT', '/addresses/{address}', { id: '203.0.113.0/7', body: limit })
  await expect(200, 'GET', '/addresses')
  await expect(200, 'DELETE', '/addresses/{address}', { id: '203.0.113.0/24' })
  await expect(404, 'DELETE', '/addresses/{address}', { id: '203.0.113.0/24' })
  for (const query of ['?hours=0', '?hours=1.5', '?limit=10000', '?hour=3', '?hours='])
    await expect(400, 'GET', '/usage/addresses', { query })
})

test('operations on tokens, the audit log and the status respond as documented', async () => {
  const body = { name: 'documented', roles: ['facts'], expires_at: '2130-01-01T00:00:00Z' }
  const { id } = (await expect(201, 'POST', '/tokens', { body })) as { id: string }
  await expect(409, 'POST', '/tokens', { body })
  await expect(200, 'GET', '/tokens')
  await expect(201, 'POST', '/tokens/{id}/rotate', { id })
  await expect(409, 'POST', '/tokens/{id}/rotate', { id })
  await expect(400, 'POST', '/tokens/{id}/rotate', { id, body: { overlap_hours: -1 } })
  await expect(200, 'GET', '/profile')
  await expect(200, 'POST', '/profile/compare', { body: { profile: demoProfile } })
  await expect(400, 'POST', '/profile/compare', { body: { profile: { name: 'x' } } })
  const unknownMembers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`member_${index}`, 0]))
  await expect(400, 'POST', '/profile/compare', { body: { profile: unknownMembers } })
  await expect(200, 'POST', '/tokens/{id}/revoke', { id })
  await expect(404, 'POST', '/tokens/{id}/revoke', { id: 'none' })
  await expect(200, 'GET', '/log')
  await expect(200, 'GET', '/status')
  await expect(200, 'GET', '/metrics')
  await expect(200, 'POST', '/backup')
})

test('an invalid token or one without the role gets the documented response, for every operation', async () => {
  const { token } = await makeToken(chancery, ['metrics'])
  const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
  for (const { method, path, roles } of everyOperation) {
    const url = path.replace(/\{\w+\}/, 'none')
    for (const bearer of [undefined, token]) {
      if (bearer !== undefined && roles.includes('metrics')) continue
      const response = await operateAs(
        chancery.operatorUrl,
        bearer,
        method,
        url,
        method === 'GET' ? undefined : {},
      )
      assert.ok(response.headers.get('www-authenticate')?.startsWith('Bearer'))
      assert.equal(response.headers.get('x-request-id') !== null, true)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      await check(method, path, response)
    }
  }
})

test('the success of every operation was compared', () => {
  for (const { method, path, responses } of Object.values(operatorOperations)) {
    const success = Math.min(...Object.keys(responses).map(Number))
    assert.ok(seen.has(`${method} ${path} ${success}`), `${method} ${path}`)
  }
})
