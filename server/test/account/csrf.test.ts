import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AccountOperation, accountOperations } from '@chancery/contract'
import { smallWorld } from '../http/world.ts'
import type { TestServer } from '../support/test-server.ts'
import {
  assertRefused,
  handover,
  openBrowser,
  type Sent,
  type SignedIn,
  signIn,
  startAccounts,
} from './browser.ts'

let chancery: TestServer
let player: SignedIn
before(async () => {
  chancery = await startAccounts(smallWorld(), {}, { demoSignIn: true })
  player = await signIn(chancery, { nation_id: 'n1' })
})
after(() => chancery.close())

const operations: AccountOperation[] = Object.values(accountOperations)
const changes = operations.filter(({ method }) => method !== 'GET')
const reads = operations.filter(({ method }) => method === 'GET')

/** What a browser on another site, or a tool that knows no more than a cookie, can send. */
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
    const before = await player.done('GET', '/log')
    for (const { method, path } of changes) {
      const answer = await player.ask(method, path, { body: {}, headers })
      assertRefused(answer, 403, 'cross_site', `${method} ${path}`)
    }
    assert.deepEqual(await player.done('GET', '/log'), before)
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
    // Refused changes count too: a minute of them is not enough for all tests.
    const stale = player.session.csrf_token
    player = await signIn(chancery, { nation_id: 'n1' }, player)
    for (const { method, path } of changes.filter(({ needsSession }) => needsSession)) {
      const headers = { 'x-csrf-token': tokenOf(stale) }
      const answer = await player.ask(method, path, { body: {}, headers })
      assertRefused(answer, 403, 'cross_site', `${method} ${path}`)
    }
  })
}

test('one of the two headers is enough for a browser that sends no other', async () => {
  for (const headers of [{ origin: undefined }, { 'sec-fetch-site': undefined }])
    assert.equal((await player.ask('POST', '/codes', { body: {}, headers })).status, 201)
})

test('a body without a content type is not parsed as JSON', async () => {
  const token = await handover(chancery, { nation_id: 'n2' })
  const sent = { body: JSON.stringify({ token }), headers: { 'content-type': undefined } }
  // Without a type of the caller's own, fetch says text/plain.
  assertRefused(await openBrowser(chancery).ask('POST', '/session', sent), 403, 'cross_site')
  await openBrowser(chancery).done('POST', '/session', { token })
})

test('another site cannot read anything by fetch or tag', async () => {
  const others: Sent['headers'][] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
  ]
  for (const { path } of reads)
    for (const headers of others)
      assertRefused(await player.ask('GET', path, { headers }), 403, 'cross_site', path)
  const typed = await player.ask('GET', '/session', { headers: { 'sec-fetch-site': 'none' } })
  assert.equal(typed.status, 200, 'whoever types the address')
  const silent = await player.ask('GET', '/session', { headers: { 'sec-fetch-site': undefined } })
  assert.equal(silent.status, 200, 'an old browser')
})

test('no response of the developer settings has CORS headers', async () => {
  const answers = [
    await player.ask('GET', '/keys', { headers: { origin: chancery.url } }),
    await player.ask('GET', '/keys', { headers: { origin: 'https://evil.example' } }),
    await player.ask('POST', '/keys', { body: {} }),
    await player.ask('OPTIONS', '/keys', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    }),
    await player.ask('GET', '/nowhere'),
  ]
  for (const path of ['/developers', '/developers/keys', '/developers/logo'])
    answers.push({ ...answers[0], headers: (await fetch(chancery.url + path)).headers } as never)
  for (const { headers } of answers)
    assert.deepEqual(
      [...headers.keys()].filter(name => name.startsWith('access-control-')),
      [],
    )
  assert.equal(answers[3]?.status, 405)
})

test('all operations except sign-in need a session', async () => {
  const open = ['GET /page', 'POST /handover', 'POST /session', 'GET /demo/players', 'POST /demo/session']
  const isOpen = operations.filter(({ needsSession }) => !needsSession)
  assert.deepEqual(isOpen.map(({ method, path }) => `${method} ${path}`).sort(), open.sort())
  for (const { method, path } of operations.filter(({ needsSession }) => needsSession)) {
    const sent = method === 'GET' ? {} : { body: {} }
    assertRefused(await openBrowser(chancery).ask(method, path, sent), 401, 'session_required', path)
  }
})
