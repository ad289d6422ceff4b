import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountCodes, AccountSession, HandoverPreview } from '@chancery/contract'
import { cookieName } from '../../src/account/session/tokens.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { put, remove } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump, query } from '../support/database-url.ts'
import {
  assertRejected,
  type Browser,
  handover,
  listenerOf,
  openBrowser,
  signIn,
  startAccounts,
} from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld()))

const nationOf = (session: AccountSession | HandoverPreview) => session.nation?.nation_id

test('a link shows its player, and then signs in once', async () => {
  const browser = openBrowser(chancery)
  const token = await handover(chancery, { nation_id: 'n1', landing: 'keys' })
  const preview = await browser.requestOk<HandoverPreview>('POST', '/handover', { token })
  assert.deepEqual(preview.nation, {
    nation_id: 'n1',
    nation_name: 'Valdoria',
    leader_name: 'Leader of Valdoria',
    flag_url: null,
    alliance: { alliance_id: 'a1', name: 'Northern Pact', tag: 'NP' },
  })
  assert.deepEqual([preview.player_id, preview.landing], [playerOf('n1'), 'keys'])
  const lifeMs = Date.parse(preview.expires_at) - Date.now()
  assert.ok(lifeMs > 0 && lifeMs <= 60_000)

  const session = await browser.requestOk<AccountSession>('POST', '/session', { token })
  assert.deepEqual(
    [session.player_id, session.nation, session.landing],
    [playerOf('n1'), preview.nation, 'keys'],
  )
  assert.deepEqual(await browser.requestOk('GET', '/session'), session)
  for (const path of ['/session', '/handover'])
    assertRejected(await browser.request('POST', path, { body: { token } }), 410, 'handover_invalid', path)
  assert.equal(nationOf(await browser.requestOk('GET', '/session')), 'n1', 'a used link ends nothing')
})

test('of concurrent uses of a link exactly one signs in', async () => {
  const token = await handover(chancery, { nation_id: 'n2' })
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => openBrowser(chancery).request('POST', '/session', { body: { token } })),
  )
  const statuses = responses.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, ...Array.from({ length: 39 }, () => 410)])
  for (const response of responses)
    if (response.status === 410) assert.equal(response.headers.get('set-cookie'), null)
})

test('a link that is older than a minute, or of another service, does not sign in', async () => {
  const late = await handover(chancery, { nation_id: 'n1' })
  await query(
    chancery.databaseUrl,
    `update chancery_access.handover set expires_at = clock_timestamp() where used_at is null`,
  )
  const browser = openBrowser(chancery)
  for (const token of [late, 'x'.repeat(43), 'x', '', `${late}x`, late.toUpperCase(), `${late}\u0000`])
    for (const path of ['/handover', '/session'])
      assertRejected(await browser.request('POST', path, { body: { token } }), 410, 'handover_invalid', token)
  assert.equal(browser.cookie, undefined)
})

test('a link belongs to a player: it shows the nation that they lead when it is opened', async () => {
  await chancery.ingest([put('nation', { id: 'n_new', nation_name: 'New', player: 'p_new' })])
  const token = await handover(chancery, { nation_id: 'n_new' })
  await chancery.ingest([remove('nation', 'n_new')])
  const browser = openBrowser(chancery)
  const preview = await browser.requestOk<HandoverPreview>('POST', '/handover', { token })
  assert.deepEqual([preview.player_id, preview.nation], ['p_new', null])
  const session = await browser.requestOk<AccountSession>('POST', '/session', { token })
  assert.deepEqual([session.player_id, session.nation], ['p_new', null])
})

test('an invalid request for a link is rejected with a reason', async () => {
  await chancery.ingest([put('nation', { id: 'n_empty', nation_name: 'Empty' })])
  const requests: [object, number][] = [
    [{}, 400],
    [{ nation_id: 'n1', player_id: 'p1' }, 400],
    [{ nation_id: 'n1', landing: 'elsewhere' }, 400],
    [{ nation_id: 'n1', more: 1 }, 400],
    [{ nation_id: 'n_empty' }, 400],
    [{ nation_id: 'none' }, 404],
  ]
  for (const [body, status] of requests) {
    const response = await chancery.operate('POST', '/handovers', body)
    assert.equal(response.status, status, JSON.stringify(body))
  }
  const unasked = await fetch(`${chancery.operatorUrl}/handovers`, { method: 'POST' })
  assert.equal(unasked.status, 401)
})

test('the token of a link is in the fragment, which reaches no server or log', async () => {
  const response = await chancery.operate('POST', '/handovers', { player_id: 'p1' })
  const { url, ...rest } = (await response.json()) as { url: string }
  assert.deepEqual(Object.keys(rest), ['expires_at'])
  assert.match(url, new RegExp(`^${chancery.url}/developers/#handover=[A-Za-z0-9_-]{43}$`))
})

test('the session cookie is HttpOnly and SameSite', async () => {
  const token = await handover(chancery, { nation_id: 'n1' })
  const { headers } = await openBrowser(chancery).request('POST', '/session', { body: { token } })
  const [cookie = ''] = headers.getSetCookie()
  assert.match(
    cookie,
    /^chancery_session_\d+=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
  )
})

test('with an https URL the cookie has the __Host- prefix and is Secure', async t => {
  const secure = closeAfter(
    await startAccounts(smallWorld(), { CHANCERY_PUBLIC_URL: 'https://api.game.example' }),
    t,
  )
  const browser = openBrowser(secure, { url: await listenerOf(secure) })
  const token = await handover(secure, { nation_id: 'n1' })
  const { headers } = await browser.request('POST', '/session', { body: { token } })
  const [cookie = ''] = headers.getSetCookie()
  assert.match(
    cookie,
    /^__Host-chancery_session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.equal(nationOf(await browser.requestOk('GET', '/session')), 'n1')
  const plain = { cookie: browser.cookie?.replace('__Host-', '') }
  assertRejected(await browser.request('GET', '/session', { headers: plain }), 401, 'session_required')
})

test('a browser has one session: signing in again ends the previous one', async () => {
  const browser = await signIn(chancery, { nation_id: 'n1' })
  const { cookie } = browser
  const { session } = await signIn(chancery, { nation_id: 'n2' }, browser)
  assert.notEqual(browser.cookie, cookie)
  assert.notEqual(session.csrf_token, '')
  assert.equal(nationOf(await browser.requestOk('GET', '/session')), 'n2')
  assertRejected(await browser.request('GET', '/session', { headers: { cookie } }), 401, 'session_required')
})

test('sessions in several browsers are independent until the player ends all', async () => {
  const [one, other] = [
    await signIn(chancery, { nation_id: 'n3' }),
    await signIn(chancery, { nation_id: 'n3' }),
  ]
  const bystander = await signIn(chancery, { nation_id: 'n2' })
  assert.notEqual(one.session.csrf_token, other.session.csrf_token)
  await one.requestOk('GET', '/session')
  assert.deepEqual(await other.requestOk('POST', '/session/end-all'), { ended: 2 })
  for (const browser of [one, other])
    assertRejected(await browser.request('GET', '/session'), 401, 'session_required')
  await bystander.requestOk('GET', '/session')
})

test('signing out ends the session on the server and deletes the cookie', async () => {
  const browser = await signIn(chancery, { nation_id: 'n1' })
  const { cookie } = browser
  const { headers } = await browser.request('DELETE', '/session', { body: {} })
  assert.match(
    headers.getSetCookie()[0] ?? '',
    /^chancery_session_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  assertRejected(await browser.request('GET', '/session', { headers: { cookie } }), 401, 'session_required')
})

test('a session ends after twelve hours, whatever its use', async () => {
  const browser = await signIn(chancery, { nation_id: 'n1' })
  const lifeMs = Date.parse(browser.session.expires_at) - Date.now()
  assert.ok(lifeMs > 11.5 * 3_600_000 && lifeMs <= 12 * 3_600_000)
  await query(chancery.databaseUrl, `update chancery_access.session set expires_at = clock_timestamp()`)
  assertRejected(await browser.request('GET', '/session'), 401, 'session_required')
})

test('a suspended player cannot sign in until resumed', async () => {
  const browser = await signIn(chancery, { nation_id: 'n5' })
  const token = await handover(chancery, { nation_id: 'n5' })
  await chancery.operate('POST', `/players/${playerOf('n5')}/suspend`, {})
  const message = assertRejected(await browser.request('GET', '/session'), 401, 'session_required')
  assert.match(message, /suspended/)
  assertRejected(await browser.request('POST', '/keys', { body: {} }), 401, 'session_required')
  for (const path of ['/handover', '/session'])
    assertRejected(
      await openBrowser(chancery).request('POST', path, { body: { token } }),
      410,
      'handover_invalid',
    )
  assert.equal((await chancery.operate('POST', '/handovers', { nation_id: 'n5' })).status, 400)
  await chancery.operate('POST', `/players/${playerOf('n5')}/resume`, {})
  await browser.requestOk('GET', '/session')
})

test('an invalid session is rejected', async () => {
  const { cookie = '' } = await signIn(chancery, { nation_id: 'n1' })
  const browser = openBrowser(chancery)
  const changed = cookie.endsWith('A') ? `${cookie.slice(0, -1)}B` : `${cookie.slice(0, -1)}A`
  for (const given of [
    undefined,
    '',
    `${cookieName(chancery.url)}=`,
    cookie.slice(0, -1),
    changed,
    `${cookie}; ${cookie}`,
    `x${cookie}`,
  ])
    assertRejected(
      await browser.request('GET', '/session', { headers: { cookie: given } }),
      401,
      'session_required',
      given,
    )
  const among = await browser.request('GET', '/session', { headers: { cookie: `a=b; ${cookie}; c` } })
  assert.equal(among.status, 200)
})

test('the current session is a result without an error, also where no player is signed in', async () => {
  const current = async (browser: Browser) =>
    (await browser.requestOk<{ session: AccountSession | null }>('GET', '/session/current')).session
  const browser = await signIn(chancery, { nation_id: 'n6' })
  assert.deepEqual(await current(browser), browser.session)
  const visitor = openBrowser(chancery)
  assert.equal(await current(visitor), null)
  for (const cookie of [`${cookieName(chancery.url)}=x`, `${browser.cookie}x`]) {
    visitor.cookie = cookie
    assert.equal(await current(visitor), null, cookie)
  }
  const path = `/players/${playerOf('n6')}`
  await chancery.operate('POST', `${path}/suspend`, {})
  assert.equal(await current(browser), null, 'a suspended player')
  await chancery.operate('POST', `${path}/resume`, {})
  const foreign = await browser.request('GET', '/session/current', {
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  assertRejected(foreign, 403, 'cross_site')
  await browser.requestOk('DELETE', '/session', {})
  assert.equal(await current(browser), null, 'a session that has ended')
})

test('only the current leader of a nation manages its codes', async () => {
  await chancery.ingest([put('nation', { id: 'n_lost', nation_name: 'Lost', player: 'p_old' })])
  const [before, next] = [
    await signIn(chancery, { player_id: 'p_old' }),
    await signIn(chancery, { player_id: 'p_next' }),
  ]
  const { id } = await before.requestOk<{ id: string }>('POST', '/codes', {})
  await chancery.ingest([put('nation', { id: 'n_lost', player: 'p_next' })])
  assert.equal(nationOf(await before.requestOk('GET', '/session')), undefined)
  const routes: [string, string][] = [
    ['GET', '/codes'],
    ['POST', '/codes'],
    ['DELETE', `/codes/${id}`],
  ]
  for (const [method, path] of routes) {
    const response = await before.request(method, path, method === 'GET' ? {} : { body: {} })
    assert.match(assertRejected(response, 404, 'not_found', path), /no nation/)
  }
  const { live } = await next.requestOk<AccountCodes>('GET', '/codes')
  assert.deepEqual(live, [], 'a code of the one before proves nothing')
  await next.requestOk('POST', '/codes', {})
})

test('the database stores no token of a link or session', async () => {
  const link = await handover(chancery, { nation_id: 'n1' })
  const browser = await signIn(chancery, { nation_id: 'n1' })
  const text = await dump(chancery.databaseUrl)
  const secrets = [link, browser.token, browser.cookie?.split('=')[1] ?? '', browser.session.csrf_token]
  for (const secret of secrets) {
    assert.equal(secret.length, 43)
    assert.ok(!text.includes(secret))
    assert.ok(!text.includes(Buffer.from(secret).toString('hex')))
  }
})
