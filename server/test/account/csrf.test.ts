import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountOperation, accountOperations } from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import {
  assertRejected,
  handover,
  openBrowser,
  type Sent,
  type SignedIn,
  signIn,
  startAccounts,
} from './browser.ts'

let player: SignedIn
const chancery = closeAfter(await startAccounts(smallWorld(), {}, { defaults: { demoSignIn: true } }))
player = await signIn(chancery, { nation_id: 'n1' })

const operations: AccountOperation[] = Object.values(accountOperations)
const changes = operations.filter(({ method }) => method !== 'GET')
const reads = operations.filter(({ method }) => method === 'GET')

/** Headers of a browser on another site, or of a tool that has only the cookie. */
const foreign: [string, Sent['headers']][] = [
  ['the origin of another site', { origin: 'https://evil.example' }],
  ['that origin and no word of the browser', { origin: 'https://evil.example', 'sec-fetch-site': undefined }],
  ['no origin at all, as of a sandbox', { origin: 'null' }],
  ['another port', { origin: 'http://127.0.0.1:1' }],
  ['another scheme', { origin: 'https://127.0.0.1' }],
  ['a name that begins alike', { origin: 'http://127.0.0.1.evil.example' }],
  ['neither header', { origin: undefined, 'sec-fetch-site': undefined }],
  ['the word cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['the word same-site', { 'sec-fetch-site': 'same-site' }],
  ['the word none', { 'sec-fetch-site': 'none' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['plain text', { 'content-type': 'text/plain' }],
  ['plain text that mentions JSON', { 'content-type': 'text/plain; application/json' }],
]

for (const [what, headers] of foreign) {
  test(`no change is accepted with ${what}`, async () => {
    const before = await player.requestOk('GET', '/log')
    for (const { method, path } of changes) {
      const response = await player.request(method, path, { body: {}, headers })
      assertRejected(response, 403, 'cross_site', `${method} ${path}`)
    }
    assert.deepEqual(await player.requestOk('GET', '/log'), before)
  })
}

const wrongTokens: [string, (stale: string) => string | undefined][] = [
  ['no token', () => undefined],
  ['an empty token', () => ''],
  ['the token of an earlier session', stale => stale],
  ['another token', () => 'x'.repeat(43)],
  ['the session itself', () => player.cookie?.split('=')[1]],
]

for (const [what, tokenOf] of wrongTokens) {
  test(`no change of a signed-in player is accepted with ${what}`, async () => {
    // Rejected changes count too: a minute of them is not enough for all tests.
    const stale = player.session.csrf_token
    player = await signIn(chancery, { nation_id: 'n1' }, player)
    for (const { method, path } of changes.filter(({ needsSession }) => needsSession)) {
      const headers = { 'x-csrf-token': tokenOf(stale) }
      const response = await player.request(method, path, { body: {}, headers })
      assertRejected(response, 403, 'cross_site', `${method} ${path}`)
    }
  })
}

test('one of the two headers is enough for a browser that sends no other', async () => {
  for (const headers of [{ origin: undefined }, { 'sec-fetch-site': undefined }])
    assert.equal((await player.request('POST', '/codes', { body: {}, headers })).status, 201)
})

test('a body without a content type is not parsed as JSON', async () => {
  const token = await handover(chancery, { nation_id: 'n2' })
  const sent = { body: JSON.stringify({ token }), headers: { 'content-type': undefined } }
  // Without a content type, fetch sends text/plain.
  assertRejected(await openBrowser(chancery).request('POST', '/session', sent), 403, 'cross_site')
  await openBrowser(chancery).requestOk('POST', '/session', { token })
})

test('another site cannot read anything by fetch or tag', async () => {
  const others: Sent['headers'][] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
  ]
  for (const { path } of reads)
    for (const headers of others)
      assertRejected(await player.request('GET', path, { headers }), 403, 'cross_site', path)
  const typed = await player.request('GET', '/session', { headers: { 'sec-fetch-site': 'none' } })
  assert.equal(typed.status, 200, 'a typed address')
  const oldBrowser = await player.request('GET', '/session', { headers: { 'sec-fetch-site': undefined } })
  assert.equal(oldBrowser.status, 200, 'an old browser')
})

test('no response of the developer settings has CORS headers', async () => {
  const responses = [
    await player.request('GET', '/keys', { headers: { origin: chancery.url } }),
    await player.request('GET', '/keys', { headers: { origin: 'https://evil.example' } }),
    await player.request('POST', '/keys', { body: {} }),
    await player.request('OPTIONS', '/keys', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    }),
    await player.request('GET', '/nowhere'),
  ]
  for (const path of ['/developers', '/developers/keys', '/developers/logo'])
    responses.push({ ...responses[0], headers: (await fetch(chancery.url + path)).headers } as never)
  for (const { headers } of responses)
    assert.deepEqual(
      [...headers.keys()].filter(name => name.startsWith('access-control-')),
      [],
    )
  assert.equal(responses[3]?.status, 405)
})

test('all operations except sign-in need a session', async () => {
  const signIns = ['POST /handover', 'POST /session', 'GET /demo/players', 'POST /demo/session']
  const open = ['GET /page', 'GET /session/current', ...signIns]
  const isOpen = operations.filter(({ needsSession }) => !needsSession)
  assert.deepEqual(isOpen.map(({ method, path }) => `${method} ${path}`).sort(), open.sort())
  for (const { method, path } of operations.filter(({ needsSession }) => needsSession)) {
    const sent = method === 'GET' ? {} : { body: {} }
    assertRejected(await openBrowser(chancery).request(method, path, sent), 401, 'session_required', path)
  }
})
