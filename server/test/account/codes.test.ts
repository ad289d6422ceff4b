import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountCodes, type IssuedAccountCode, limits } from '@chancery/contract'
import { issueCode } from '../../src/verification/store.ts'
import { smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { assertRejected, type SignedIn, signIn, startAccounts } from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld()))

const make = (player: SignedIn, body: object = {}) =>
  player.requestOk<IssuedAccountCode>('POST', '/codes', body)
const list = (player: SignedIn) => player.requestOk<AccountCodes>('GET', '/codes')
const redeem = (code: string, key?: string, account?: string) =>
  chancery.get(`/discord/verify/${code}${account ? `?for=${account}` : ''}`, key ? { key } : {})

test('a code is created, listed without its text, redeemed by a bot, and then listed as redeemed', async () => {
  const player = await signIn(chancery, { nation_id: 'n1' })
  const response = await player.request<IssuedAccountCode>('POST', '/codes', { body: { for: '80351' } })
  assert.equal(response.status, 201)
  const { code, ...shown } = response.body
  assert.match(code, /^[23456789A-HJKMNP-TV-Z]{10}$/)
  const lifeMs = Date.parse(shown.expires_at) - Date.parse(shown.created_at)
  assert.ok(Math.abs(lifeMs - 600_000) < 2, String(lifeMs))
  assert.deepEqual(await list(player), { live: [shown], redeemed: [], live_max: 10 })

  assert.equal((await redeem(code)).status, 404, 'it is bound')
  const { key } = await chancery.makeKey({ player_id: 'a_bots_author' })
  assert.equal((await redeem(code, key, '80351')).status, 200)
  const { live, redeemed } = await list(player)
  assert.deepEqual(live, [])
  const [first] = redeemed
  assert.deepEqual(redeemed, [
    {
      id: shown.id,
      created_at: shown.created_at,
      redeemed_at: first?.redeemed_at,
      bound_to: '80351',
      with_key: true,
    },
  ])
  const { code: second, id } = await make(player)
  await redeem(second)
  const after = await list(player)
  assert.deepEqual(pluck(after.redeemed, 'id', 'with_key'), [
    [id, false],
    [shown.id, true],
  ])
})

test('a code that is cancelled is unknown from then on', async () => {
  const player = await signIn(chancery, { nation_id: 'n2' })
  const { code, id } = await make(player)
  await player.requestOk('DELETE', `/codes/${id}`)
  const response = await redeem(code)
  assert.equal(response.status, 404)
  assertRejected(await player.request('DELETE', `/codes/${id}`), 404, 'not_found')
  assert.deepEqual((await list(player)).live, [])
})

test('neither a redeemed code nor an expired one can be cancelled', async () => {
  const player = await signIn(chancery, { nation_id: 'n3' })
  const [used, late] = [await make(player), await make(player)]
  await redeem(used.code)
  await query(
    chancery.databaseUrl,
    `update chancery_access.verification_code set expires_at = clock_timestamp() where id = '${late.id}'`,
  )
  for (const { id } of [used, late])
    assertRejected(await player.request('DELETE', `/codes/${id}`), 404, 'not_found')
  const { live, redeemed } = await list(player)
  assert.deepEqual([live.length, redeemed.length], [0, 1])
})

test('codes that the game created can be seen and cancelled by the player', async () => {
  const player = await signIn(chancery, { nation_id: 'n5' })
  const code = await chancery.makeCode('n5')
  const [live] = (await list(player)).live
  assert.ok(live)
  await player.requestOk('DELETE', `/codes/${live.id}`)
  assert.equal((await redeem(code)).status, 404)
})

test('of forty codes created concurrently a nation gets the limit', async () => {
  const player = await signIn(chancery, { nation_id: 'n6' })
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => player.request('POST', '/codes', { body: {} })),
  )
  assert.equal(responses.filter(({ status }) => status === 201).length, limits.codesActivePerNation)
  for (const response of responses.filter(({ status }) => status !== 201))
    assertRejected(response, 409, 'too_many')
  const { live } = await list(player)
  assert.equal(live.length, limits.codesActivePerNation)
  await player.requestOk('DELETE', `/codes/${live[0]?.id}`)
  await make(player)
})

test('no code is issued to a player who has just lost the nation', async () => {
  await chancery.ingest([put('nation', { id: 'n_hot', nation_name: 'Hot', player: 'p_next' })])
  // The session was read while the nation was still theirs.
  const pools = createTestPools({ connectionString: chancery.databaseUrl })
  const issue = (playerId: string) =>
    pools.access.transaction(db => issueCode(db, { nationId: 'n_hot', boundTo: null, playerId }))
  try {
    assert.equal(await issue('p_before'), 'no_such_nation')
    assert.equal(typeof (await issue('p_next')), 'object')
  } finally {
    await pools.close()
  }
  const { live } = await list(await signIn(chancery, { player_id: 'p_next' }))
  assert.equal(live.length, 1)
})
