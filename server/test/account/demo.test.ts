import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountList, AccountSession, DemoPlayer, PageInfo } from '@chancery/contract'
import { accountBase } from '../../src/account/account-api.ts'
import { sendRequest } from '../disclosure/exchange.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import type { TestServer } from '../support/test-server.ts'
import { assertRefused, openBrowser, startAccounts } from './browser.ts'

let demo: TestServer
before(async () => {
  demo = await startAccounts(smallWorld(), {}, { demoSignIn: true })
})
after(() => demo.close())

const players = async (search: string) => {
  const query = new URLSearchParams({ search })
  return (await openBrowser(demo).done<AccountList<DemoPlayer>>('GET', `/demo/players?${query}`)).data
}

test('demo players are listed by score and found by part of a name', async () => {
  const all = await players('')
  assert.deepEqual(
    all.slice(0, 2).map(({ player_id, nation }) => [player_id, nation.nation_name, nation.alliance?.tag]),
    [
      [playerOf('n1'), 'Valdoria', 'NP'],
      [playerOf('n2'), 'Karsk', 'NP'],
    ],
  )
  assert.deepEqual(
    (await players('KARS')).map(({ nation }) => nation.nation_id),
    ['n2'],
  )
  for (const nothing of ['%', '_', "'", '\\', 'n1\n']) assert.deepEqual(await players(nothing), [], nothing)
  await demo.ingest(
    Array.from({ length: 60 }, (_, index) => ({
      op: 'put',
      resource: 'nation',
      data: { id: `n_many_${index}`, nation_name: `Many ${index}`, player: `p_many_${index}` },
    })),
  )
  assert.equal((await players('many')).length, 50)
})

test('a visitor who selects a demo player is signed in as that player', async () => {
  const browser = openBrowser(demo)
  const { is_demo } = await browser.done<PageInfo>('GET', '/page')
  assert.equal(is_demo, true)
  const session = await browser.done<AccountSession>('POST', '/demo/session', { player_id: playerOf('n2') })
  assert.deepEqual([session.nation?.nation_id, session.landing], ['n2', 'verify'])
  assert.deepEqual(await browser.done('GET', '/session'), session)
  for (const player_id of ['nobody', 'n2'])
    assertRefused(await browser.ask('POST', '/demo/session', { body: { player_id } }), 404, 'not_found')
  await demo.operate('POST', `/players/${playerOf('n3')}/suspend`, {})
  const suspended = await browser.ask('POST', '/demo/session', { body: { player_id: playerOf('n3') } })
  assertRefused(suspended, 404, 'not_found')
})

/** The demo as a browser reaches it that was told another name of this machine. */
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
  const chancery = await startAccounts(smallWorld())
  t.after(() => chancery.close())
  const browser = openBrowser(chancery)
  assert.equal((await browser.done<PageInfo>('GET', '/page')).is_demo, false)
  assertRefused(await browser.ask('GET', '/demo/players'), 404, 'not_found')
  const answer = await browser.ask('POST', '/demo/session', { body: { player_id: playerOf('n1') } })
  assertRefused(answer, 404, 'not_found')
  const foreign = { origin: chancery.url.replace('127.0.0.1', 'localhost') }
  const other = await browser.ask('POST', '/handover', { body: { token: 'x' }, headers: foreign })
  assertRefused(other, 403, 'cross_site', 'only a demo is there under other names')
})
