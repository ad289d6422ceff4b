import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, readResponse } from '../http/responses.ts'
import { secrets, smallWorld } from '../http/world.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

const path = '/alliances/a1?include=treasury'
const keyOf = async (nationId: string) =>
  (await chancery.makeKey({ nation_id: nationId }, ['treasury.read'])).key
const ask = async (key: string) => readResponse(await chancery.get(path, { key }))

async function assertSees(key: string, what: string): Promise<void> {
  const answer = await ask(key)
  assert.equal(answer.status, 200, what)
  assert.deepEqual(JSON.parse(answer.body).data.treasury, {
    credits: secrets.treasury,
    resources: { steel: 41 },
  })
}

async function assertSeesNot(key: string, what: string): Promise<void> {
  const answer = await ask(key)
  assertError(answer, 'not_entitled', what)
  assert.ok(!answer.body.includes(String(secrets.treasury)))
}

/** Nobody waits for the ranking: what a fact changes about standing holds from the next call on. */
const ingest = (fact: Fact) => chancery.ingest([fact], { waits: false })
const member = (data: object) => ingest({ op: 'put', resource: 'alliance_member', data })

test('a treasury is seen by its leader and officers only', async () => {
  for (const nation of ['n1', 'n2']) await assertSees(await keyOf(nation), nation)
  for (const nation of ['n3', 'n4', 'n5', 'n6', 'n7']) await assertSeesNot(await keyOf(nation), nation)
  const { key } = await chancery.makeKey({ player_id: 'nobody' }, ['treasury.read'])
  await assertSeesNot(key, 'no nation')
})

test('what the game says of a member goes before the rank', async () => {
  const [officer, plain, leader] = [await keyOf('n2'), await keyOf('n3'), await keyOf('n1')]
  await member({ nation_id: 'n2', can_view_treasury: false })
  await member({ nation_id: 'n1', can_view_treasury: false })
  await member({ nation_id: 'n3', can_view_treasury: true })
  await assertSeesNot(officer, 'an officer who may not')
  await assertSeesNot(leader, 'a leader who may not')
  await assertSees(plain, 'a member who may')
  for (const nation_id of ['n1', 'n2', 'n3']) await member({ nation_id, can_view_treasury: null })
  await assertSees(officer, 'an officer')
  await assertSeesNot(plain, 'a member')
})

test('a player who is demoted, leaves or loses the nation no longer sees the treasury', async () => {
  const key = await keyOf('n2')
  await assertSees(key, 'an officer')
  await member({ nation_id: 'n2', rank: 'member' })
  await assertSeesNot(key, 'demoted')
  await member({ nation_id: 'n2', rank: 'officer' })
  await assertSees(key, 'an officer again')
  await ingest({ op: 'delete', resource: 'alliance_member', id: 'n2' })
  await assertSeesNot(key, 'gone')
  await member({ nation_id: 'n2', alliance_id: 'a2', rank: 'officer' })
  await assertSeesNot(key, 'an officer of another alliance')
  await member({ nation_id: 'n2', alliance_id: 'a1', rank: 'officer' })
  await assertSees(key, 'back')
  await ingest({ op: 'put', resource: 'nation', data: { id: 'n2', player: 'somebody-else' } })
  await assertSeesNot(key, 'the nation is another player’s')
})

test('leave to see the treasury does not come along to another alliance', async () => {
  const key = await keyOf('n6')
  await member({ nation_id: 'n6', rank: 'member', can_view_treasury: true })
  const other = await readResponse(await chancery.get('/alliances/a2?include=treasury', { key }))
  assert.equal(other.status, 200)
  await member({ nation_id: 'n6', alliance_id: 'a1', rank: 'member' })
  await assertSeesNot(key, 'what a2 allowed, after moving straight over')
  await member({ nation_id: 'n6', can_view_treasury: true })
  await assertSees(key, 'what a1 allows')
  await ingest({ op: 'delete', resource: 'alliance_member', id: 'n6' })
  await member({ nation_id: 'n6', alliance_id: 'a1', rank: 'member' })
  await assertSeesNot(key, 'what a1 allowed before')
})

test('the treasury is nowhere but there', async () => {
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
