import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountKey,
  type AccountList,
  type AccountOperation,
  accountOperations,
  limits,
} from '@chancery/contract'
import { cookieName } from '../../src/account/session/tokens.ts'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import {
  assertRejected,
  endpointDraft,
  handover,
  keyDraft,
  openBrowser,
  signIn,
  startAccounts,
} from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld(), { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))

const newPlayer = () => signIn(chancery, { nation_id: 'n1' })
const long = 'x'.repeat(10_000)
const draft = (more: object = {}) => endpointDraft('http://127.0.0.1:1/', more)

/** Invalid bodies that are JSON. */
const wrongBodies: [string, unknown[]][] = [
  [
    '/keys',
    [
      {},
      [],
      null,
      'text',
      7,
      keyDraft({ name: '' }),
      keyDraft({ name: long }),
      keyDraft({ name: 7 }),
      keyDraft({ name: 'a\u0000b' }),
      keyDraft({ scopes: [] }),
      keyDraft({ scopes: ['everything'] }),
      keyDraft({ scopes: ['nation.read', 'nation.read'] }),
      keyDraft({ scopes: 'nation.read' }),
      keyDraft({ expires_at: 'tomorrow' }),
      keyDraft({ expires_at: '2020-01-01T00:00:00Z' }),
      keyDraft({ expires_at: '2030-02-31T00:00:00Z' }),
      keyDraft({ expires_at: '2030-01-01T23:59:60Z' }),
      keyDraft({ expires_at: '2030-01-01T00:00:00+01:00' }),
      { name: 'x', scopes: ['nation.read'] },
      keyDraft({ limit: 1_000_000 }),
      keyDraft({ player_id: 'other_player' }),
    ],
  ],
  ['/codes', [[], null, { for: '' }, { for: 'x'.repeat(201) }, { for: 'a\u0000b' }, { nation_id: 'n2' }]],
  ['/webhooks', [{}, draft({ description: long }), draft({ description: 'a\u0000b' }), draft({ url: long })]],
  ['/session', [{}, { token: 7 }, { token: long }, { token: 'x', more: 1 }]],
  ['/handover', [{}, { token: ['x'] }]],
  ['/session/end-all', [{ player_id: 'other_player' }, []]],
  ['/keys/revoke-private', [{ ids: [] }]],
]

for (const [path, bodies] of wrongBodies) {
  test(`POST ${path} rejects an invalid body with a reason`, async () => {
    const player = await newPlayer()
    for (const body of bodies) {
      const what = JSON.stringify(body).slice(0, 80)
      const response = await player.request('POST', path, { body: JSON.stringify(body) })
      const message = assertRejected(response, 400, 'invalid_request', what)
      assert.ok(message.length > 10 && message.length < 600, what)
      assert.ok(!message.includes('xxxx'), what)
    }
  })

  test(`POST ${path} accepts only complete JSON`, async () => {
    const player = await newPlayer()
    for (const body of [
      '{',
      '{"a":1}}',
      'name=x',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":1}}',
      '\u0000',
    ])
      assert.equal(
        assertRejected(await player.request('POST', path, { body }), 400, 'invalid_request', body),
        'The body is not valid JSON.',
      )
  })
}

test('a body of more than 64 KB is rejected, however it is sent', async () => {
  const player = await newPlayer()
  const body = JSON.stringify(keyDraft({ name: 'x'.repeat(70_000) }))
  const response = await player.request('POST', '/keys', { body })
  assert.match(assertRejected(response, 400, 'invalid_request'), /64 KB/)
  await player.requestOk('GET', '/session')
})

test('a script in a name is stored unchanged', async () => {
  const player = await newPlayer()
  const name = '<script>alert(1)</script>"\'\\u2028\u202e'
  const made = await player.requestOk<AccountKey>('POST', '/keys', keyDraft({ name }))
  const { data } = await player.requestOk<AccountList<AccountKey>>('GET', '/keys')
  assert.equal(data.find(({ id }) => id === made.id)?.name, name)
  const { headers } = await player.request('GET', '/keys')
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
})

test('another method is 405 with Allow, on every path', async () => {
  const player = await newPlayer()
  const operations: AccountOperation[] = Object.values(accountOperations)
  const paths = Map.groupBy(operations, ({ path }) => path)
  for (const [path, routes] of paths) {
    const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      if (allow.includes(method)) continue
      const response = await player.request(method, path.replace('{id}', 'x'))
      assertRejected(response, 405, 'method_not_allowed', `${method} ${path}`)
      assert.equal(response.headers.get('allow'), allow.join(', '))
    }
  }
  assert.equal((await player.request('HEAD', '/keys')).status, 200)
  assert.equal((await player.request('HEAD', '/codes/x')).status, 405)
})

test('an unknown path is 404 with and without a session and with any method', async () => {
  const [player, outsider] = [await newPlayer(), openBrowser(chancery)]
  for (const path of [
    '',
    '/',
    '/nowhere',
    '/keys/',
    '/keys/x',
    '/webhooks/x/nowhere',
    '/__proto__',
    '/codes/x/y',
  ])
    for (const browser of [player, outsider])
      for (const method of ['GET', 'POST'])
        assertRejected(await browser.request(method, path), 404, 'not_found', `${method} ${path}`)
})

test('ids of any form are looked up and not found', async () => {
  const player = await newPlayer()
  for (const id of ['%20', '..%2f..%2fkeys', 'x'.repeat(2_000), "'%20or%20true--", '%F0%9F%98%80'])
    for (const [method, path] of [
      ['POST', `/keys/${id}/revoke`],
      ['DELETE', `/codes/${id}`],
      ['DELETE', `/webhooks/${id}`],
      ['GET', `/keys/${id}/usage`],
    ] as const)
      assertRejected(await player.request(method, path), 404, 'not_found', path)
  for (const [method, path] of [
    ['POST', '/keys/%00/revoke'],
    ['DELETE', '/codes/%00'],
    ['GET', '/webhooks/%00/deliveries'],
  ] as const)
    assertRejected(await player.request(method, path), 400, 'invalid_request', path)
  for (const path of [
    '/calls?request_id=x',
    '/calls?request_id=%00',
    '/calls?key_id=',
    '/calls?a=b',
    '/keys?a=b',
  ])
    assertRejected(await player.request('GET', path), 400, 'invalid_request', path)
})

test('changes and reads per minute are limited per session, whatever its address', async () => {
  const player = await signIn(chancery, { nation_id: 'n3' })
  for (let change = 0; change < limits.accountChanges; change += 1) {
    player.address = `203.0.113.${change}`
    assert.equal((await player.request('POST', '/keys/none/revoke')).status, 404)
  }
  const response = await player.request('POST', '/keys/none/revoke')
  assertRejected(response, 429, 'rate_limited')
  const wait = Number(response.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 60)
  await player.requestOk('GET', '/session')

  const reads = Array.from({ length: limits.accountReads }, () => player.request('GET', '/session'))
  const statuses = (await Promise.all(reads)).map(({ status }) => status)
  assert.equal(statuses.filter(status => status === 200).length, limits.accountReads - 1)
  const other = await signIn(chancery, { nation_id: 'n3' })
  await other.requestOk('GET', '/session')
})

test('sign-ins per minute are limited per address', async () => {
  const [guesser, bystander] = [openBrowser(chancery), openBrowser(chancery)]
  const token = await handover(chancery, { nation_id: 'n2' })
  for (let guess = 0; guess < limits.accountChanges; guess += 1) {
    const response = await guesser.request('POST', '/session', {
      body: { token: `${guess}`.padEnd(43, 'x') },
    })
    assertRejected(response, 410, 'handover_invalid')
  }
  const limited = await guesser.request('POST', '/session', { body: { token } })
  assertRejected(limited, 429, 'rate_limited')
  assert.equal(limited.headers.get('set-cookie'), null)
  await bystander.requestOk('POST', '/session', { token })
})

test('guessed sessions count against the address', async () => {
  const guesser = openBrowser(chancery)
  const guess = (index: number) =>
    guesser.request('POST', '/keys', {
      body: keyDraft(),
      headers: { cookie: `${cookieName(chancery.url)}=${`${index}`.padEnd(43, 'x')}` },
    })
  for (let index = 0; index < limits.accountChanges; index += 1)
    assertRejected(await guess(index), 401, 'session_required')
  assertRejected(await guess(99), 429, 'rate_limited')
})

test('the limits of the account API and the public API are independent', async () => {
  const player = await signIn(chancery, { nation_id: 'n2' })
  const response = await chancery.get('/nations', { headers: { cookie: player.cookie ?? '' } })
  assert.equal(response.headers.get('x-ratelimit-remaining'), '999999')
  assert.equal((await player.request('GET', '/keys')).headers.get('x-ratelimit-remaining'), null)
})

test('the cookie does not authenticate API requests, nor a key the developer settings', async () => {
  const player = await newPlayer()
  const response = await chancery.get('/me/nation', { headers: { cookie: player.cookie ?? '' } })
  assert.equal(response.status, 401)
  const { key: text } = await chancery.makeKey({ nation_id: 'n1' })
  const withKey = await openBrowser(chancery).request('GET', '/session', {
    headers: { authorization: `Bearer ${text}` },
  })
  assertRejected(withKey, 401, 'session_required')
})
