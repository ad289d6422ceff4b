import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, readResponse } from '../http/responses.ts'
import { secrets, smallWorld } from '../http/world.ts'
import { put, remove } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld())

const path = '/alliances/a1?include=treasury'
const keyOf = async (nationId: string) =>
  (await chancery.makeKey({ nation_id: nationId }, ['treasury.read'])).key
const request = async (key: string) => readResponse(await chancery.get(path, { key }))

async function assertReads(key: string, what: string): Promise<void> {
  const response = await request(key)
  assert.equal(response.status, 200, what)
  assert.deepEqual(JSON.parse(response.body).data.treasury, {
    credits: secrets.treasury,
    resources: { steel: 41 },
  })
}

async function assertDenied(key: string, what: string): Promise<void> {
  const response = await request(key)
  assertError(response, 'not_entitled', what)
  assert.ok(!response.body.includes(String(secrets.treasury)))
}

/** Without waiting for a ranking round: changed access applies from the next request on. */
const ingest = (fact: Fact) => chancery.ingest([fact], { waits: false })
const member = (data: object) => ingest({ op: 'put', resource: 'alliance_member', data })

test('a treasury is seen by its leader and officers only', async () => {
  for (const nation of ['n1', 'n2']) await assertReads(await keyOf(nation), nation)
  for (const nation of ['n3', 'n4', 'n5', 'n6', 'n7']) await assertDenied(await keyOf(nation), nation)
  const { key } = await chancery.makeKey({ player_id: 'unknown' }, ['treasury.read'])
  await assertDenied(key, 'no nation')
})

test('the permission of a member precedes the rank', async () => {
  const [officer, plain, leader] = [await keyOf('n2'), await keyOf('n3'), await keyOf('n1')]
  await member({ nation_id: 'n2', can_view_treasury: false })
  await member({ nation_id: 'n1', can_view_treasury: false })
  await member({ nation_id: 'n3', can_view_treasury: true })
  await assertDenied(officer, 'an officer who may not')
  await assertDenied(leader, 'a leader who may not')
  await assertReads(plain, 'a member who may')
  for (const nation_id of ['n1', 'n2', 'n3']) await member({ nation_id, can_view_treasury: null })
  await assertReads(officer, 'an officer')
  await assertDenied(plain, 'a member')
})

test('a player who is demoted, leaves or loses the nation no longer sees the treasury', async () => {
  const key = await keyOf('n2')
  await assertReads(key, 'an officer')
  await member({ nation_id: 'n2', rank: 'member' })
  await assertDenied(key, 'demoted')
  await member({ nation_id: 'n2', rank: 'officer' })
  await assertReads(key, 'an officer again')
  await ingest(remove('alliance_member', 'n2'))
  await assertDenied(key, 'gone')
  await member({ nation_id: 'n2', alliance_id: 'a2', rank: 'officer' })
  await assertDenied(key, 'an officer of another alliance')
  await member({ nation_id: 'n2', alliance_id: 'a1', rank: 'officer' })
  await assertReads(key, 'back')
  await ingest(put('nation', { id: 'n2', player: 'other_player' }))
  await assertDenied(key, 'the nation is another player’s')
})

test('permission to see the treasury is not carried over to another alliance', async () => {
  const key = await keyOf('n6')
  await member({ nation_id: 'n6', rank: 'member', can_view_treasury: true })
  const other = await readResponse(await chancery.get('/alliances/a2?include=treasury', { key }))
  assert.equal(other.status, 200)
  await member({ nation_id: 'n6', alliance_id: 'a1', rank: 'member' })
  await assertDenied(key, 'what a2 allowed, after moving straight over')
  await member({ nation_id: 'n6', can_view_treasury: true })
  await assertReads(key, 'what a1 allows')
  await ingest(remove('alliance_member', 'n6'))
  await member({ nation_id: 'n6', alliance_id: 'a1', rank: 'member' })
  await assertDenied(key, 'what a1 allowed before')
})

test('no other response contains the treasury', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, ['treasury.read', 'nation.read'])
  for (const other of [
    '/alliances/a1',
    '/alliances',
    '/alliances?search=north',
    '/me/nation',
    '/rankings?board=alliances',
  ]) {
    const { status, body } = await readResponse(await chancery.get(other, { key }))
    assert.equal(status, 200)
    assert.ok(!body.includes('treasury') && !body.includes(String(secrets.treasury)), other)
  }
})
