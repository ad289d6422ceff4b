import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountList, AccountSession, DemoPlayer, PageInfo } from '@chancery/contract'
import { accountBase } from '../../src/account/account-api.ts'
import { sendRequest } from '../disclosure/exchange.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { assertRejected, openBrowser, startAccounts } from './browser.ts'

const demo = closeAfter(await startAccounts(smallWorld(), {}, { defaults: { demoSignIn: true } }))

const players = async (search: string) => {
  const query = new URLSearchParams({ search })
  return (await openBrowser(demo).requestOk<AccountList<DemoPlayer>>('GET', `/demo/players?${query}`)).data
}

test('demo players are listed by score and found by part of a name', async () => {
  const all = await players('')
  assert.deepEqual(
    all.slice(0, 2).map(({ player_id, nation }) => [player_id, nation?.nation_name, nation?.alliance?.tag]),
    [
      [playerOf('n1'), 'Valdoria', 'NP'],
      [playerOf('n2'), 'Karsk', 'NP'],
    ],
  )
  assert.deepEqual(
    (await players('KARS')).map(({ nation }) => nation?.nation_id),
    ['n2'],
  )
  for (const search of ['%', '_', "'", '\\', 'n1\n']) assert.deepEqual(await players(search), [], search)
  await demo.ingest(
    Array.from({ length: 60 }, (_, index) =>
      put('nation', { id: `n_many_${index}`, nation_name: `Many ${index}`, player: `p_many_${index}` }),
    ),
  )
  assert.equal((await players('many')).length, 50)
})

test('players with printed keys come first, in the order of their keys, also one without a nation', async t => {
  const chancery = closeAfter(await startAccounts(smallWorld(), {}, { defaults: { demoSignIn: true } }), t)
  const list = async (search = '') => {
    const path = `/demo/players?${new URLSearchParams({ search })}`
    const { data } = await openBrowser(chancery).requestOk<AccountList<DemoPlayer>>('GET', path)
    return data.map(({ player_id, nation, kind }) => [player_id, nation?.nation_id ?? null, kind])
  }
  const before = await list()
  const visitor = { player_id: 'demo-visitor' }
  assertRejected(
    await openBrowser(chancery).request('POST', '/demo/session', { body: visitor }),
    404,
    'not_found',
  )
  const printed = [
    ['demo-visitor', 'player without a nation'],
    [playerOf('n6'), 'alliance officer'],
  ]
  for (const [player_id, kind] of printed)
    await chancery.operate('POST', '/keys', { player_id, name: `demo: ${kind}` })
  assert.deepEqual((await list()).slice(0, 3), [
    ['demo-visitor', null, 'player without a nation'],
    [playerOf('n6'), 'n6', 'alliance officer'],
    before[0],
  ])
  const players = (await list()).map(([player]) => player)
  assert.equal(new Set(players).size, players.length, 'no player is listed twice')
  assert.equal(players.length, before.length + 1)
  assert.deepEqual(await list('KARS'), [[playerOf('n2'), 'n2', null]])
  const session = await openBrowser(chancery).requestOk<AccountSession>('POST', '/demo/session', visitor)
  assert.deepEqual([session.player_id, session.nation], ['demo-visitor', null])
})

test('a visitor who selects a demo player is signed in as that player', async () => {
  const browser = openBrowser(demo)
  const { is_demo } = await browser.requestOk<PageInfo>('GET', '/page')
  assert.equal(is_demo, true)
  const session = await browser.requestOk<AccountSession>('POST', '/demo/session', {
    player_id: playerOf('n2'),
  })
  assert.deepEqual([session.nation?.nation_id, session.landing], ['n2', 'verify'])
  assert.deepEqual(await browser.requestOk('GET', '/session'), session)
  for (const player_id of ['unknown', 'n2'])
    assertRejected(await browser.request('POST', '/demo/session', { body: { player_id } }), 404, 'not_found')
  await demo.operate('POST', `/players/${playerOf('n3')}/suspend`, {})
  const suspended = await browser.request('POST', '/demo/session', { body: { player_id: playerOf('n3') } })
  assertRejected(suspended, 404, 'not_found')
})

/** Sends a request to the demo under another host name. */
async function asHost(host: string, method: string, path: string, headers: Record<string, string>) {
  const { status, body } = await sendRequest(demo.url, accountBase + path, {
    method,
    headers: { host, ...headers },
  })
  return { status, body: JSON.parse(body) as { is_demo?: boolean; error?: { code: string } } }
}

test('the demo is reachable by every loopback name', async () => {
  const { port } = new URL(demo.url)
  for (const name of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'LOCALHOST']) {
    const host = `${name}:${port}`
    assert.equal((await asHost(host, 'GET', '/page', {})).body.is_demo, true, name)
    const { status } = await asHost(host, 'POST', '/handover', {
      origin: `http://${host}`,
      'content-type': 'application/json',
    })
    assert.equal(status, 400, `${name}: its own origin, and no token`)
  }
})

test('no demo sign-in through DNS rebinding or a tunnel', async () => {
  const { port } = new URL(demo.url)
  for (const name of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '127.0.0.1@evil',
  ]) {
    const host = `${name}:${port}`
    assert.equal((await asHost(host, 'GET', '/page', {})).body.is_demo, false, name)
    assert.equal((await asHost(host, 'GET', '/demo/players', {})).status, 404, name)
    const headers = {
      origin: `http://${host}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    }
    assert.equal((await asHost(host, 'POST', '/demo/session', headers)).status, 403, name)
    const without = { 'sec-fetch-site': 'same-origin' }
    assert.equal((await asHost(host, 'POST', '/demo/session', without)).status, 400, name)
  }
})

test('a service that is not a demo has no demo players, also on this machine', async t => {
  const chancery = closeAfter(await startAccounts(smallWorld()), t)
  const browser = openBrowser(chancery)
  assert.equal((await browser.requestOk<PageInfo>('GET', '/page')).is_demo, false)
  assertRejected(await browser.request('GET', '/demo/players'), 404, 'not_found')
  const response = await browser.request('POST', '/demo/session', { body: { player_id: playerOf('n1') } })
  assertRejected(response, 404, 'not_found')
  const foreign = { origin: chancery.url.replace('127.0.0.1', 'localhost') }
  const other = await browser.request('POST', '/handover', { body: { token: 'x' }, headers: foreign })
  assertRejected(other, 403, 'cross_site', 'only a demo accepts other host names')
})
