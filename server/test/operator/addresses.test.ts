import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@chancery/contract'
import { deleteEndedAddressLimits, parseAddressRange } from '../../src/limits/address-limits.ts'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(
  await startTestServer({ CHANCERY_TRUSTED_PROXIES: '127.0.0.1', CHANCERY_ANONYMOUS_LIMIT: '3' }),
)
await chancery.ingest(smallWorld())

const from = async (address: string, path = '/api/v1/game', headers: Record<string, string> = {}) => {
  const response = await fetch(chancery.url + path, {
    headers: { 'x-forwarded-for': address, ...headers },
    redirect: 'manual',
  })
  await response.body?.cancel()
  return { status: response.status, limit: response.headers.get('x-ratelimit-limit') }
}
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const set = async (address: string, body: object) => {
  const response = await chancery.operate('PUT', `/addresses/${encodeURIComponent(address)}`, body)
  return { status: response.status, body: (await response.json()) as { address: string } }
}
const remove = async (address: string) =>
  (await chancery.operate('DELETE', `/addresses/${encodeURIComponent(address)}`)).status

test('a blocked address gets 429 for the API and for pages, and a key still works', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  const address = '203.0.113.9'
  assert.equal((await from(address)).status, 200)
  assert.equal((await set(address, { limit: 0, expires_at: inHours(1), note: 'guesses' })).status, 200)
  assert.deepEqual(await from(address), { status: 429, limit: '0' })
  for (const path of ['/', '/docs', '/developers/', '/developers/api/page', '/status', '/nowhere'])
    assert.equal((await from(address, path)).status, 429, path)
  assert.equal((await from(address, '/api/v1/game', { authorization: 'Bearer chk_wrong' })).status, 429)
  assert.equal((await from(address, '/api/v1/game', { authorization: `Bearer ${key}` })).status, 200)
  assert.equal((await from(address, '/readyz')).status, 200)
  assert.equal((await from('203.0.113.10')).status, 200)
  assert.deepEqual([await remove(address), await remove(address)], [200, 404])
  assert.deepEqual(await from(address), { status: 200, limit: '3' })
})

test('an allowed address has its own limit, and of several ranges the narrowest applies', async () => {
  await set('198.51.0.0/16', { limit: 0, expires_at: inHours(1) })
  await set('198.51.100.0/24', { limit: 50, expires_at: inHours(1) })
  await set('198.51.100.7', { limit: 0, expires_at: inHours(1) })
  assert.deepEqual(await from('198.51.7.7'), { status: 429, limit: '0' })
  assert.deepEqual(await from('198.51.100.7'), { status: 429, limit: '0' })
  for (let call = 0; call < 10; call += 1)
    assert.deepEqual(await from('198.51.100.8'), { status: 200, limit: '50' })
  assert.equal((await from('198.51.100.8', '/docs')).status !== 429, true)
  const { data } = (await (await chancery.operate('GET', '/addresses')).json()) as { data: object[] }
  assert.deepEqual(pluck(data as { address: string; limit: number }[], 'address', 'limit'), [
    ['198.51.0.0/16', 0],
    ['198.51.100.0/24', 50],
    ['198.51.100.7', 0],
  ])
})

test('an IPv6 address stands for its /64', async () => {
  const { body } = await set('2001:db8:1:2:3:4:5:6', { limit: 0, expires_at: inHours(1) })
  assert.equal(body.address, '2001:db8:1:2::/64')
  assert.equal((await from('2001:db8:1:2::99')).status, 429)
  assert.equal((await from('2001:db8:1:3::99')).status, 200)
  assert.equal(
    (await set('2001:db8:8::/48', { limit: 0, expires_at: inHours(1) })).body.address,
    '2001:db8:8::/48',
  )
  assert.equal((await from('2001:db8:8:77::1')).status, 429)
})

test('a limit ends, and is deleted', async t => {
  await set('192.0.2.1', { limit: 0, expires_at: inHours(1) })
  assert.equal((await from('192.0.2.1')).status, 429)
  await query(
    chancery.databaseUrl,
    `update chancery_access.address_limit set expires_at = now() - interval '1 s' where address = '192.0.2.1'`,
  )
  // Each change of a limit makes every process read all of them.
  await set('192.0.2.77', { limit: 5, expires_at: inHours(1) })
  assert.equal((await from('192.0.2.1')).status, 200)
  const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }), t)
  await deleteEndedAddressLimits(pools.access)
  const [left] = await query(
    chancery.databaseUrl,
    `select count(*)::int as count from chancery_access.address_limit where address = '192.0.2.1'`,
  )
  assert.deepEqual(left, { count: 0 })
})

test('addresses and ranges are read strictly, and bounded in width, number and time', async () => {
  for (const [text, expected] of [
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9/32', '203.0.113.9'],
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:DB8::1', '2001:db8::/64'],
    ['2001:db8:f::1/48', '2001:db8:f::/48'],
    ['1', undefined],
    ['203.0.113', undefined],
    ['0.0.0.0/0', undefined],
    ['203.0.0.0/7', undefined],
    ['::/0', undefined],
    ['2001:db8::/65', undefined],
    ['::ffff:0:0/96', undefined],
    ['203.0.113.9/33', undefined],
    ['example.com', undefined],
  ] as const)
    assert.equal(parseAddressRange(text), expected, text)
  for (const [address, body] of [
    ['0.0.0.0/0', { limit: 0, expires_at: inHours(1) }],
    ['203.0.113.9', { limit: -1, expires_at: inHours(1) }],
    ['203.0.113.9', { limit: 0, expires_at: inHours(-1) }],
    ['203.0.113.9', { limit: 0, expires_at: inHours(24 * 91) }],
    ['203.0.113.9', { limit: 0 }],
  ] as const)
    assert.equal((await set(address, body)).status, 400, `${address} ${JSON.stringify(body)}`)
  await query(
    chancery.databaseUrl,
    `insert into chancery_access.address_limit (address, calls_per_minute, created_at, expires_at)
     select '10.' || n / 256 || '.' || n % 256 || '.0/24', 1, now(), now() + interval '1 hour' from generate_series(1, ${limits.addressLimits}) n`,
  )
  assert.equal((await set('203.0.113.200', { limit: 0, expires_at: inHours(1) })).status, 400)
})
