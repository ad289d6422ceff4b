import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer({ CHANCERY_TRUSTED_PROXIES: '127.0.0.1' }))
await chancery.ingest(smallWorld())

const requestOperator = async (path: string) => {
  const response = await chancery.operate('GET', path)
  return { status: response.status, body: (await response.json()) as { data: unknown[]; error?: object } }
}

test('an unknown request id is 404, whatever its form', async () => {
  for (const id of ['req_0000000000000000', "'%20or%201=1", 'x'.repeat(80), '%25']) {
    const { status, body } = await requestOperator(`/requests/${id}`)
    assert.equal(status, 404, id)
    assert.ok(body.error)
  }
  assert.equal((await requestOperator('/requests/%00')).status, 400)
})

test('keys are listed by their requests, with rejected ones and redemptions', async () => {
  const busy = await chancery.makeKey({ nation_id: 'n1' }, undefined, { limit: 6 })
  const calm = await chancery.makeKey({ nation_id: 'n2' })
  const call = async (path: string, key: string) => (await chancery.get(path, { key })).arrayBuffer()
  for (const nation of ['n3', 'n4'])
    await call(`/discord/verify/${await chancery.makeCode(nation)}`, busy.key)
  await call('/discord/verify/ABCDEFGHJK', busy.key)
  await call('/me/nation?include=military', busy.key)
  for (let time = 0; time < 6; time += 1) await call('/game', busy.key)
  await call('/game', calm.key)

  const row = { name: 'test', limited: 0, refused: 0, deprecated: 0, redemptions: 0 }
  const keys = [
    {
      ...row,
      key_id: busy.id,
      player_id: playerOf('n1'),
      calls: 10,
      limited: 4,
      refused: 1,
      redemptions: 2,
    },
    { ...row, key_id: calm.id, player_id: playerOf('n2'), calls: 1 },
  ]
  assert.deepEqual((await requestOperator('/usage/keys')).body.data, keys)
  assert.deepEqual((await requestOperator('/usage/keys?hours=1&limit=1')).body.data, keys.slice(0, 1))
})

test('addresses are listed by their requests without a key, with rejected ones', async () => {
  const from = async (address: string, path: string, authorization?: string) => {
    const headers = { 'x-forwarded-for': address, ...(authorization ? { authorization } : {}) }
    await (await chancery.get(path, { headers })).arrayBuffer()
  }
  for (let time = 0; time < 3; time += 1) await from('192.0.2.9', '/game', 'Bearer wrong')
  await from('192.0.2.9', '/game')
  await from('2001:db8::1', '/game')
  await from('2001:db8::2', '/game')
  const addresses = [
    { address: '192.0.2.9', calls: 4, limited: 0, refused: 3 },
    { address: '2001:db8::/64', calls: 2, limited: 0, refused: 0 },
  ]
  assert.deepEqual((await requestOperator('/usage/addresses?hours=2')).body.data, addresses)
  assert.deepEqual(
    (await requestOperator('/usage/addresses?hours=9999&limit=1')).body.data,
    addresses.slice(0, 1),
  )
})

test('hours and limits are whole numbers', async () => {
  for (const query of ['hours=0', 'hours=x', 'hours=-1', 'limit=0', 'limit=1e3', 'limit=1&limit=2', 'days=1'])
    for (const path of ['/usage/keys', '/usage/addresses'])
      assert.equal((await requestOperator(`${path}?${query}`)).status, 400, `${path}?${query}`)
})
