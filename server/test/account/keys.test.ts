import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  type AccountKey,
  type AccountList,
  type KeyUsage,
  type LoggedCall,
  limits,
  type NewAccountKeyResponse,
} from '@chancery/contract'
import { pruneAccounts } from '../../src/account/account-log.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { redisUrl } from '../support/redis-server.ts'
import { assertRejected, type SignedIn, signIn, startAccounts } from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld(), { CHANCERY_KEY_LIMIT: '120' }))

let players = 0
/** A player of their own, who leads no nation. */
const newPlayer = () => signIn(chancery, { player_id: `keeper_${players++}` })

const wanted = { name: 'my bot', scopes: ['nation.read'], expires_at: null }
const make = (player: SignedIn, more: object = {}) =>
  player.requestOk<NewAccountKeyResponse>('POST', '/keys', { ...wanted, ...more })
const list = async (player: SignedIn) =>
  (await player.requestOk<AccountList<AccountKey>>('GET', '/keys')).data
const find = async (player: SignedIn, id: string) => {
  const key = (await list(player)).find(each => each.id === id)
  assert.ok(key)
  return key
}
const statusOf = async (key: string) => (await chancery.get('/me/key', { key })).status

/** A revocation counts everywhere within a second; here at once. */
const assertOpen = async (key: string, isOpen = true) => assert.equal(await statusOf(key), isOpen ? 200 : 401)

test('a created key works, is returned once, and is recognised by its prefix', async () => {
  const player = await signIn(chancery, { nation_id: 'n1' })
  const response = await player.request<NewAccountKeyResponse>('POST', '/keys', {
    body: { name: 'war room', scopes: ['military.read', 'economy.read'], expires_at: '2030-01-01T00:00:00Z' },
  })
  assert.equal(response.status, 201)
  const { key, ...shown } = response.body
  assert.match(key, /^chk_[0-9A-Za-z]{38}$/)
  assert.deepEqual(shown, {
    id: shown.id,
    name: 'war room',
    prefix: key.slice(0, 8),
    scopes: ['military.read', 'economy.read'],
    limit: 120,
    created_at: shown.created_at,
    expires_at: '2030-01-01T00:00:00Z',
    revoked_at: null,
    last_used_at: null,
    calls_today: 0,
    limit_request: null,
    replaced_by: null,
  })
  const read = await chancery.read<{ data: { id: string; military?: object } }>('/me/nation', { key })
  assert.equal(read.data.id, 'n1')
  assert.ok(read.data.military)
  const { calls_today, ...listed } = await find(player, shown.id)
  assert.deepEqual({ ...listed, calls_today: 0 }, shown)
  assert.equal(calls_today, 1)
})

test('keys that the operator created belong to the player and have a prefix', async () => {
  const player = await signIn(chancery, { nation_id: 'n2' })
  const { id, key } = await chancery.makeKey({ nation_id: 'n2' }, ['nation.read'], { limit: 600 })
  const { prefix, limit } = await find(player, id)
  assert.deepEqual([prefix, limit], [key.slice(0, 8), 600])
  await player.requestOk('POST', `/keys/${id}/revoke`, {})
  await assertOpen(key, false)
})

test('a key made before prefixes were stored has none', async () => {
  const player = await newPlayer()
  const { id } = await make(player)
  await query(chancery.databaseUrl, `update chancery_access.api_key set prefix = null where id = '${id}'`)
  assert.equal((await find(player, id)).prefix, null)
})

test('a revoked key is rejected at once, and stays in the list', async () => {
  const player = await newPlayer()
  const [kept, revoked] = [await make(player), await make(player)]
  for (const { key } of [kept, revoked]) await assertOpen(key)
  const { revoked_at } = await player.requestOk<AccountKey>('POST', `/keys/${revoked.id}/revoke`, {})
  await assertOpen(revoked.key, false)
  await assertOpen(kept.key)
  assert.equal((await find(player, revoked.id)).revoked_at, revoked_at)
  const again = await player.requestOk<AccountKey>('POST', `/keys/${revoked.id}/revoke`, {})
  assert.equal(again.revoked_at, revoked_at, 'the time of the first revocation')
})

test('all keys with private scopes are revoked at once, and no others', async () => {
  const player = await newPlayer()
  const plain = await make(player)
  const secret = [
    await make(player, { scopes: ['military.read'] }),
    await make(player, { scopes: ['nation.read', 'treasury.read'] }),
  ]
  for (const { key } of [plain, ...secret]) await assertOpen(key)
  const bystander = await newPlayer()
  const foreign = await make(bystander, { scopes: ['military.read'] })
  assert.deepEqual(await player.requestOk('POST', '/keys/revoke-private', {}), { revoked: 2 })
  for (const { key } of secret) await assertOpen(key, false)
  for (const { key } of [plain, foreign]) await assertOpen(key)
  assert.deepEqual(await player.requestOk('POST', '/keys/revoke-private', {}), { revoked: 0 })
})

test('a rotated key works together with its successor for the chosen overlap', async () => {
  const player = await newPlayer()
  const old = await make(player, { name: 'twin', scopes: ['economy.read', 'nation.read'] })
  await chancery.operate('PUT', `/keys/${old.id}/limit`, { limit: 900 })
  const response = await player.request<NewAccountKeyResponse>('POST', `/keys/${old.id}/rotate`, {
    body: { overlap_hours: 24 },
  })
  assert.equal(response.status, 201)
  const { body: next } = response
  assert.deepEqual(
    [next.name, next.scopes, next.limit, next.expires_at],
    ['twin', ['economy.read', 'nation.read'], 900, null],
  )
  for (const { key } of [old, next]) await assertOpen(key)
  const { expires_at } = await find(player, old.id)
  const leftMs = Date.parse(expires_at ?? '') - Date.now()
  assert.ok(leftMs > 23.9 * 3_600_000 && leftMs <= 24 * 3_600_000)
})

test('a rotated key names the key that replaced it', async () => {
  const player = await newPlayer()
  const rotate = (id: string, overlap_hours: number) =>
    player.requestOk<NewAccountKeyResponse>('POST', `/keys/${id}/rotate`, { overlap_hours })
  const first = await make(player)
  const second = await rotate(first.id, 24)
  const third = await rotate(second.id, 0)
  const successors = await Promise.all([first, second, third].map(({ id }) => find(player, id)))
  assert.deepEqual(
    successors.map(({ replaced_by }) => replaced_by),
    [{ id: second.id, prefix: second.prefix }, { id: third.id, prefix: third.prefix }, null],
  )
})

test('an open request for a higher limit moves to the key that replaces its key', async () => {
  const player = await newPlayer()
  const request = { calls_per_minute: 600, sentence: 'Our war room has forty members.' }
  const openAt = async () => {
    const response = await chancery.operate('GET', `/keys?player_id=${player.session.player_id}`)
    const { data } = (await response.json()) as { data: { id: string; limit_request: object | null }[] }
    return data.filter(key => key.limit_request !== null).map(({ id }) => id)
  }
  const old = await make(player)
  await player.requestOk('POST', `/keys/${old.id}/limit-request`, request)
  const next = await player.requestOk<NewAccountKeyResponse>('POST', `/keys/${old.id}/rotate`, {
    overlap_hours: 24,
  })
  assert.equal(next.limit_request?.sentence, request.sentence)
  assert.equal((await find(player, old.id)).limit_request, null)
  assert.deepEqual(await openAt(), [next.id])

  await chancery.operate('PUT', `/keys/${next.id}/limit`, { limit: 600, note: 'Granted.' })
  const last = await player.requestOk<NewAccountKeyResponse>('POST', `/keys/${next.id}/rotate`, {
    overlap_hours: 0,
  })
  assert.deepEqual([last.limit, last.limit_request], [600, null], 'a resolved request stays with its key')
  assert.equal((await find(player, next.id)).limit_request?.note, 'Granted.')
})

test('without overlap the old key is rejected at once', async () => {
  const player = await newPlayer()
  const old = await make(player)
  await assertOpen(old.key)
  const next = await player.requestOk<NewAccountKeyResponse>('POST', `/keys/${old.id}/rotate`, {
    overlap_hours: 0,
  })
  await assertOpen(old.key, false)
  await assertOpen(next.key)
  assert.notEqual((await find(player, old.id)).revoked_at, null)
  const again = await player.request('POST', `/keys/${old.id}/rotate`, { body: { overlap_hours: 1 } })
  assertRejected(again, 404, 'not_found', 'what is revoked is not replaced')
})

test('an overlap extends no expiry, and a successor lasts as long as the key was made for', async () => {
  const player = await newPlayer()
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const old = await make(player, { expires_at: soon })
  await query(
    chancery.databaseUrl,
    `update chancery_access.api_key set created_at = created_at - interval '89 days' where id = '${old.id}'`,
  )
  const next = await player.requestOk<NewAccountKeyResponse>('POST', `/keys/${old.id}/rotate`, {
    overlap_hours: 24,
  })
  assert.equal((await find(player, old.id)).expires_at, soon.replace(/\.?0*Z$/, 'Z'))
  const days = (Date.parse(next.expires_at ?? '') - Date.now()) / 86_400_000
  assert.ok(days > 89 && days < 89.1, String(days))
})

test('of a hundred keys created concurrently a player gets the limit', async () => {
  const player = await newPlayer()
  // Two sessions, because one makes no more than 60 changes a minute.
  const second = await signIn(chancery, { player_id: player.session.player_id })
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? player : second).request('POST', '/keys', { body: wanted }),
    ),
  )
  const made = responses.filter(({ status }) => status === 201)
  assert.equal(made.length, limits.keysPerPlayer)
  for (const response of responses.filter(({ status }) => status !== 201))
    assertRejected(response, 409, 'too_many')
  const keys = await list(await signIn(chancery, { player_id: player.session.player_id }))
  assert.equal(keys.length, limits.keysPerPlayer)
})

test('revoked and expired keys do not count, and rotating without overlap needs no room', async () => {
  const player = await newPlayer()
  const first = await make(player)
  for (let made = 1; made < limits.keysPerPlayer; made += 1) await make(player)
  assertRejected(await player.request('POST', '/keys', { body: wanted }), 409, 'too_many')
  const overlapping = await player.request('POST', `/keys/${first.id}/rotate`, { body: { overlap_hours: 1 } })
  assertRejected(overlapping, 409, 'too_many')
  await assertOpen(first.key)
  const next = await player.requestOk<NewAccountKeyResponse>('POST', `/keys/${first.id}/rotate`, {
    overlap_hours: 0,
  })
  assertRejected(await player.request('POST', '/keys', { body: wanted }), 409, 'too_many')
  await query(
    chancery.databaseUrl,
    `update chancery_access.api_key set expires_at = clock_timestamp() where id = '${next.id}'`,
  )
  await make(player)
})

test('a request for a higher limit reaches the operator, and the decision the player', async () => {
  const player = await newPlayer()
  const { id, limit } = await make(player)
  const limitRequest = { calls_per_minute: 600, sentence: 'Our war room has forty members.' }
  const withRequest = await player.requestOk<AccountKey>('POST', `/keys/${id}/limit-request`, limitRequest)
  const { asked_at } = withRequest.limit_request ?? {}
  assert.deepEqual(withRequest.limit_request, { ...limitRequest, asked_at, answered_at: null, note: null })
  assert.equal(withRequest.limit, limit)

  const shown = async () => {
    const response = await chancery.operate('GET', `/keys?player_id=${player.session.player_id}`)
    const { data } = (await response.json()) as { data: { id: string; limit_request: object | null }[] }
    return data.find(key => key.id === id)?.limit_request
  }
  assert.deepEqual(await shown(), { ...limitRequest, asked_at })
  const given = await chancery.operate('PUT', `/keys/${id}/limit`, { limit: 500, note: 'until the era ends' })
  assert.equal(((await given.json()) as { limit_request: null }).limit_request, null)
  assert.equal(await shown(), null)
  const after = await find(player, id)
  assert.equal(after.limit, 500)
  assert.equal(after.limit_request?.note, 'until the era ends')
  assert.notEqual(after.limit_request?.answered_at, null)

  const less = await player.request('POST', `/keys/${id}/limit-request`, {
    body: { ...limitRequest, calls_per_minute: 500 },
  })
  assertRejected(less, 400, 'invalid_request')
  await player.requestOk('POST', `/keys/${id}/limit-request`, limitRequest)
  assert.equal((await find(player, id)).limit_request?.answered_at, null, 'a new request is open')
})

test('requests are listed with their key, found by id, and counted', async () => {
  const player = await newPlayer()
  const [one, other] = [await make(player, { name: 'one' }), await make(player, { name: 'other' })]
  const { headers } = await chancery.get('/nations', { key: one.key })
  await chancery.get('/me/nation', { key: other.key })
  const requestId = headers.get('x-request-id') ?? ''
  const calls = async (path: string) => (await player.requestOk<AccountList<LoggedCall>>('GET', path)).data
  const all = await calls('/calls')
  assert.deepEqual(pluck(all, 'key_name', 'operation', 'status'), [
    ['other', 'me.nation', 404],
    ['one', 'nations.list', 200],
  ])
  assert.deepEqual(
    (await calls(`/calls?key_id=${other.id}`)).map(({ key_id }) => key_id),
    [other.id],
  )
  const found = await calls(`/calls?request_id=${requestId}`)
  assert.deepEqual(pluck(found, 'request_id', 'key_id'), [[requestId, one.id]])
  assert.deepEqual(await calls('/calls?request_id=req_0000000000000000'), [])
  const usage = await player.requestOk<KeyUsage>('GET', `/keys/${one.id}/usage`)
  assert.deepEqual(usage.operations, [{ operation: 'nations.list', calls: 1, deprecated: 0 }])
  assert.deepEqual(usage.statuses, [{ status: 200, calls: 1 }])
  assert.deepEqual((await list(player)).map(({ name, calls_today }) => [name, calls_today]).sort(), [
    ['one', 1],
    ['other', 1],
  ])
})

test('a request with another player’s key is not found by its id', async () => {
  const { key } = await chancery.makeKey({ player_id: playerOf('n5') })
  const { headers } = await chancery.get('/nations', { key })
  const player = await newPlayer()
  await make(player)
  assert.deepEqual(await player.requestOk('GET', `/calls?request_id=${headers.get('x-request-id')}`), {
    data: [],
  })
})

for (const store of ['memory', 'redis']) {
  test(`limits over the keys of a player, in ${store}`, async t => {
    const url = store === 'redis' ? await redisUrl(t) : ''
    if (url === undefined) return
    const env = { CHANCERY_KEY_LIMIT: '4', CHANCERY_PLAYER_LIMIT: '10', CHANCERY_VALKEY_URL: url }
    const limited = closeAfter(await startAccounts(smallWorld(), env), t)
    /** A player that no other run uses: a Redis outlives the run. */
    const newLimitedPlayer = () => signIn(limited, { player_id: `limited_${randomUUID()}` })
    /** Calls until one is rejected; resolves with the `remaining` of each that was not. */
    async function useUp(key: string): Promise<number[]> {
      for (const left: number[] = []; ; ) {
        const { status, headers } = await limited.get('/game', { key })
        assert.equal(headers.get('x-ratelimit-limit'), '4')
        assert.equal(status === 429, headers.has('retry-after'))
        if (status === 429) return left
        left.push(Number(headers.get('x-ratelimit-remaining')))
      }
    }

    await t.test('a key that replaces another continues in its window', async () => {
      const player = await newLimitedPlayer()
      const remaining = async ({ key }: { key: string }) => {
        const { status, headers } = await limited.get('/game', { key })
        return status === 200 ? headers.get('x-ratelimit-remaining') : status
      }
      const rotate = ({ id }: { id: string }, overlap_hours: number) =>
        player.requestOk<NewAccountKeyResponse>('POST', `/keys/${id}/rotate`, { overlap_hours })
      const first = await make(player)
      assert.equal(await remaining(first), '3')
      const second = await rotate(first, 0)
      assert.equal(await remaining(second), '2')
      const third = await rotate(second, 24)
      assert.equal(await remaining(third), '1')
      assert.equal(await remaining(second), '0', 'the old key continues in the same window')
      assert.equal(await remaining(third), 429)
      assert.equal(await remaining(await rotate(third, 0)), 429)
    })

    await t.test(
      'all keys of a player have a limit together, however often they are made and revoked',
      async () => {
        const player = await newLimitedPlayer()
        const left: number[] = []
        for (let round = 0; round < 5; round += 1) {
          const { id, key } = await make(player)
          left.push(...(await useUp(key)))
          await player.requestOk('POST', `/keys/${id}/revoke`, {})
        }
        assert.deepEqual(left, [3, 2, 1, 0, 3, 2, 1, 0, 1, 0])
        const { key } = await make(await newLimitedPlayer())
        assert.deepEqual(await useUp(key), [3, 2, 1, 0], 'another player has their own')
      },
    )

    await t.test(
      'a key with a limit of its own has that limit, whatever the others of its player use',
      async () => {
        const player = await newLimitedPlayer()
        const own = await make(player)
        await limited.operate('PUT', `/keys/${own.id}/limit`, { limit: 30 })
        for (let call = 29; call >= 10; call -= 1) {
          const { headers } = await limited.get('/game', { key: own.key })
          assert.equal(headers.get('x-ratelimit-remaining'), String(call))
        }
        assert.deepEqual(await useUp((await make(player)).key), [3, 2, 1, 0])
      },
    )
  })
}

test('keys are deleted 30 days after they expired, and revoked keys without an expiration are kept', async () => {
  const pools = createTestPools({ connectionString: chancery.databaseUrl })
  const player = await newPlayer()
  const makeExpired = async (name: string, days: number | null, more = '') => {
    const { id } = await make(player, { name })
    await query(
      chancery.databaseUrl,
      `update chancery_access.api_key set revoked_at = clock_timestamp() - interval '99 days',
        expires_at = clock_timestamp() - interval '1 day' * ${days} ${more} where id = '${id}'`,
    )
  }
  try {
    await makeExpired('expired long ago', 31)
    await makeExpired('expired lately', 29)
    await makeExpired('no expiration', null)
    await makeExpired('replaced', 31, ", replaced_by = 'key_other'")
    await makeExpired('changed by the operator', 31)
    const [changed] = (await list(player)).filter(({ name }) => name === 'changed by the operator')
    await chancery.operate('POST', `/keys/${changed?.id}/revoke`)
    await pruneAccounts(pools.access)
    const names = (await list(player)).map(({ name }) => name).sort()
    assert.deepEqual(names, ['changed by the operator', 'expired lately', 'no expiration', 'replaced'])
  } finally {
    await pools.close()
  }
})
