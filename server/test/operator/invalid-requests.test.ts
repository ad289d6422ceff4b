import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperatorOperation, operatorOperations, scopeNames } from '@chancery/contract'
import { playerOf, smallWorld } from '../http/world.ts'
import { commit, lines, nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { readStatus } from '../support/read-status.ts'
import { startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())

const everyOperation: OperatorOperation[] = Object.values(operatorOperations)

async function assertRejected(
  response: Response,
  status: number,
  code: string,
  what: string,
): Promise<string> {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; request_id: string }
  }
  assert.deepEqual([response.status, error.code], [status, code], `${what}: ${error.message}`)
  assert.equal(error.request_id, response.headers.get('x-request-id'), what)
  assert.equal(response.headers.get('cache-control'), 'no-store', what)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8', what)
  return error.message
}
/** Asserts that a request of the operator is rejected. */
const assertRejects = async (status: number, code: string, ...request: Parameters<typeof chancery.operate>) =>
  assertRejected(await chancery.operate(...request), status, code, JSON.stringify(request).slice(0, 120))

for (const { method, path } of [...everyOperation, { method: 'GET', path: '/nowhere' }]) {
  test(`${method} ${path} needs the operator token`, async () => {
    const { key } = await chancery.makeKey({ nation_id: 'n1' }, scopeNames)
    const wrong = [
      undefined,
      '',
      'Bearer',
      chancery.operatorToken,
      `Bearer ${key}`,
      `Bearer ${chancery.operatorToken}x`,
      `Bearer ${chancery.operatorToken.slice(0, -1)}`,
      `Bearer ${chancery.operatorToken.toUpperCase()}`,
      `Basic ${Buffer.from(`operator:${chancery.operatorToken}`).toString('base64')}`,
    ]
    for (const authorization of wrong) {
      const response = await fetch(chancery.operatorUrl + path, {
        method,
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: '{' }),
      })
      const message = await assertRejected(response, 401, 'invalid_api_key', `${authorization}`)
      assert.equal(response.headers.get('www-authenticate'), 'Bearer')
      assert.ok(!message.includes(chancery.operatorToken))
    }
  })
}

test('the public listener rejects the operator token and has no operator API', async () => {
  assert.equal((await chancery.get('/me/key', { key: chancery.operatorToken })).status, 401)
  for (const { method, path } of everyOperation) {
    const { status } = await fetch(chancery.url + path, { method })
    assert.ok(status === 404 || status === 405, `${method} ${path}: ${status}`)
  }
})

test('facts are stored neither with a wrong token nor through the public listener', async () => {
  const wrong = { authorization: 'Bearer not-the-operator-token' }
  const token = { authorization: `Bearer ${chancery.operatorToken}` }
  for (const [id, url, authorization] of [
    ['untrusted', chancery.operatorUrl, wrong],
    ['public', chancery.url, token],
  ] as const) {
    const headers = { 'content-type': 'application/x-ndjson', ...authorization }
    const body = lines(nation(id), commit(id))
    const { status } = await fetch(`${url}/facts`, { method: 'POST', headers, body })
    assert.ok([401, 404, 405].includes(status), `${id}: ${status}`)
    assert.equal((await chancery.get(`/nations/${id}`)).status, 404, id)
  }
})

const badBodies: [string, string, unknown[]][] = [
  [
    'POST',
    '/keys',
    [
      {},
      [],
      null,
      'text',
      { nation_id: 'n1' },
      { name: 'x' },
      { nation_id: 'n1', player_id: 'p1', name: 'x' },
      { nation_id: 'n 1', name: 'x' },
      { nation_id: 'n1', name: '' },
      { nation_id: 'n1', name: 'x'.repeat(101) },
      { nation_id: 'n1', name: 'a\u0000b' },
      { nation_id: 'n1', name: 'x', scopes: ['everything'] },
      { nation_id: 'n1', name: 'x', scopes: 'nation.read' },
      { nation_id: 'n1', name: 'x', scopes: Array(21).fill('nation.read') },
      { nation_id: 'n1', name: 'x', limit: 0 },
      { nation_id: 'n1', name: 'x', limit: -1 },
      { nation_id: 'n1', name: 'x', limit: 1.5 },
      { nation_id: 'n1', name: 'x', limit: '5' },
      { nation_id: 'n1', name: 'x', limit: 1_000_000_001 },
      { nation_id: 'n1', name: 'x', expires_at: 'tomorrow' },
      { nation_id: 'n1', name: 'x', expires_at: '2020-01-01T00:00:00Z' },
      { nation_id: 'n1', name: 'x', expires_at: '2030-02-31T00:00:00Z' },
      { nation_id: 'n1', name: 'x', unknown: 1 },
    ],
  ],
  [
    'POST',
    '/codes',
    [
      {},
      [],
      null,
      { nation_id: '' },
      { nation_id: 7 },
      { nation_id: 'n1', for: '' },
      { nation_id: 'n1', for: 'x'.repeat(201) },
      { nation_id: 'n1', for: 'a\u0000b' },
      { nation_id: 'n1', unknown: 1 },
    ],
  ],
  [
    'POST',
    '/facts',
    [{}, [], null, { facts: 'all' }, { facts: [], unknown: 1 }, { facts: [], announce: 'yes' }],
  ],
]

for (const [method, path, bodies] of badBodies) {
  test(`${method} ${path} rejects an invalid body with a reason`, async () => {
    for (const body of bodies) {
      const message = await assertRejects(400, 'bad_request', method, path, body, { 'idempotency-key': 'b1' })
      assert.ok(message.length > 10)
    }
  })

  test(`${method} ${path} accepts only complete JSON`, async () => {
    const send = (body: string, contentType: string) =>
      fetch(chancery.operatorUrl + path, {
        method,
        body,
        headers: {
          authorization: `Bearer ${chancery.operatorToken}`,
          'content-type': contentType,
          'idempotency-key': 'b2',
        },
      })
    for (const body of ['', '{', '{"a":1}}', 'nation_id=n1', '{"__proto__":{"x":1}}'])
      await assertRejected(await send(body, 'application/json'), 400, 'bad_request', body)
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])
      await assertRejected(await send('{}', contentType), 400, 'bad_request', contentType)
  })
}

test('a limit is a positive integer', async () => {
  const { id } = await chancery.makeKey({ nation_id: 'n1' })
  for (const body of [
    {},
    { limit: 0 },
    { limit: 1.5 },
    { limit: 'many' },
    { limit: 5, note: 5 },
    { limit: 5, note: 'a\u0000b' },
    { limit: 5, notes: '' },
  ])
    await assertRejects(400, 'bad_request', 'PUT', `/keys/${id}/limit`, body)
  const response = await chancery.operate('PUT', `/keys/${id}/limit`, { limit: 600, note: 'approved' })
  const shown = (await response.json()) as { limit: number; limit_note: string; key?: string }
  assert.deepEqual(
    [response.status, shown.limit, shown.limit_note, shown.key],
    [200, 600, 'approved', undefined],
  )
})

test('unknown ids and paths are 404', async () => {
  for (const id of ['key_none', '%20', 'key_none%2Frevoke', 'a'.repeat(64)]) {
    await assertRejects(404, 'not_found', 'POST', `/keys/${id}/revoke`)
    await assertRejects(404, 'not_found', 'PUT', `/keys/${id}/limit`, { limit: 5 })
  }
  await assertRejects(404, 'not_found', 'POST', '/keys', { nation_id: 'none', name: 'x' })
  await assertRejects(404, 'not_found', 'POST', '/codes', { nation_id: 'none' })
  await assertRejects(404, 'not_found', 'GET', '/keys?nation_id=none')
  await assertRejects(404, 'not_found', 'DELETE', '/keys')
})

const heartbeat = {
  sender: 'a',
  next_within_seconds: null,
  read_at: null,
  error: null,
  rows: 0,
  set_aside: 0,
  waiting_views: [],
}

test('a NUL character or a lone surrogate in an id, parameter or body is rejected', async () => {
  for (const [method, path, body] of [
    ['POST', '/keys/%00/revoke', undefined],
    ['PUT', '/keys/%00/limit', { limit: 5 }],
    ['GET', '/keys?player_id=%00', undefined],
    ['GET', '/keys?nation_id=%00', undefined],
    ['PUT', '/feeds/a/heartbeat', { ...heartbeat, sender: 'a\0' }],
    ['PUT', '/feeds/a/heartbeat', { ...heartbeat, waiting_views: [{ view: 'a', reason: '\ud800' }] }],
    ['POST', '/players/p1/suspend', { note: '\0' }],
  ] as const)
    assert.match(await assertRejects(400, 'bad_request', method, path, body), /NUL/)
})

test('an id that no player can have has no export, also when an earlier request had it', async () => {
  for (const _ of [1, 2]) await assertRejects(404, 'not_found', 'POST', `/players/${'x'.repeat(65)}/export`)
})

test('an expiry may have any time zone, and is returned in UTC', async () => {
  const { key, ...made } = (await (
    await chancery.operate('POST', '/keys', {
      nation_id: 'n1',
      name: 'far',
      expires_at: '2130-01-01T00:00:00+23:30',
    })
  ).json()) as { key: string; expires_at: string }
  assert.equal(made.expires_at, '2129-12-31T00:30:00Z')
  assert.equal((await chancery.get('/me/key', { key })).status, 200)
})

test('keys are listed by player or nation, none with its secret', async () => {
  const { id, key } = await chancery.makeKey({ nation_id: 'n3' }, ['military.read'])
  for (const path of [`/keys?player_id=${playerOf('n3')}`, '/keys?nation_id=n3', '/keys']) {
    const text = await (await chancery.operate('GET', path)).text()
    const { data } = JSON.parse(text) as { data: { id: string; scopes: string[] }[] }
    assert.deepEqual(data.find(each => each.id === id)?.scopes, ['military.read'], path)
    assert.ok(!text.includes(key.slice(4, 20)), path)
  }
  assert.deepEqual(await (await chancery.operate('GET', '/keys?player_id=unknown')).json(), { data: [] })
})

test('the metrics count responses by operation, and contain no secret', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  const code = await chancery.makeCode('n1')
  const searched = 'an-unusual-search'
  await chancery.get(`/discord/verify/${code}`)
  await chancery.get('/me/nation', { key })
  await chancery.get(`/nations?search=${searched}`)
  await chancery.get(`/nowhere/${searched}`)
  const response = await chancery.operate('GET', '/metrics')
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
  const text = await response.text()
  assert.match(text, /chancery_requests_total\{operation="discord.verify",status="200"\} 1/)
  assert.match(text, /chancery_requests_total\{operation="none",status="404"\} \d+/)
  for (const secret of [
    key.slice(4, 20),
    code,
    searched,
    chancery.operatorToken,
    playerOf('n1'),
    '127.0.0.1',
    'Valdoria',
  ])
    assert.ok(!text.includes(secret), secret)
})

test('the status has the last event and the ranked version', async () => {
  const status = await readStatus(chancery)
  assert.ok(Number(status.seq) > 0 && status.ranked_version === status.world_version)
})

test('a path with invalid percent-encoding is a bad request', async () => {
  for (const path of ['/feeds/%', '/keys/%zz/revoke', '/%ff'])
    await assertRejects(400, 'bad_request', 'GET', path)
})

test('a query with invalid percent-encoding is rejected', async () => {
  for (const query of ['player_id=%', 'player_id=%zz', 'player_id=%ff', '%=p1'])
    await assertRejects(400, 'bad_request', 'GET', `/webhooks?${query}`)
})

test('a path with invalid percent-encoding is 401 without a token', async () => {
  await assertRejected(await fetch(`${chancery.operatorUrl}/feeds/%`), 401, 'invalid_api_key', '%')
})

test('an unknown id of any length is not found', async () => {
  await assertRejects(404, 'not_found', 'GET', `/feeds/${'x'.repeat(3_000)}`)
})

test('null is rejected as a body, also where none is needed', async () => {
  await assertRejects(400, 'bad_request', 'POST', '/players/p1/suspend', null)
})

test('an invalid player id cannot be suspended', async () => {
  for (const id of ['', '%20', 'a%2Fb', 'x'.repeat(65)])
    await assertRejects(400, 'bad_request', 'POST', `/players/${id}/suspend`)
})
