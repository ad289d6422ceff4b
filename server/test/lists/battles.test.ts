import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alliance, battle, member, nation, put, war } from '../ingest/facts.ts'
import { prepare, useTestServer } from '../support/fixture.ts'

interface Listed {
  id: string
  war_id: string | null
}

const chancery = useTestServer()
prepare(async () => {
  await chancery.ingest([
    nation('n1'),
    nation('n2'),
    war('w1', 'n1', 'n2'),
    battle('fought', 'w1', 'n1', 'n2'),
    battle('raid', null, 'n2', 'n1', {
      victor: 'attacker',
      losses: { attacker: {}, defender: { tanks: 5 } },
    }),
  ])
})

const list = async (path: string) =>
  (await chancery.read<{ data: Listed[] }>(path)).data.map(({ id, war_id }) => [id, war_id])
const battlesCount = async () =>
  (await chancery.read<{ data: { battles_count: number } }>('/wars/w1')).data.battles_count

test('a battle without a war is listed without one, and belongs to no war', async () => {
  assert.deepEqual(await list('/battles'), [
    ['fought', 'w1'],
    ['raid', null],
  ])
  assert.deepEqual(await list('/battles?nation_id=n1&war_id=w1'), [['fought', 'w1']])
  assert.deepEqual(await list('/wars/w1/battles'), [['fought', 'w1']])
  assert.equal((await chancery.read<{ data: Listed }>('/battles/raid')).data.war_id, null)
  assert.equal(await battlesCount(), 1)
})

test('a battle counts in the war that it is assigned to later, and no more when it is removed from it', async () => {
  await chancery.ingest([put('battle', { id: 'raid', war_id: 'w1' })])
  assert.equal(await battlesCount(), 2)
  assert.deepEqual(await list('/wars/w1/battles'), [
    ['fought', 'w1'],
    ['raid', 'w1'],
  ])
  await chancery.ingest([put('battle', { id: 'raid', war_id: null })])
  assert.equal(await battlesCount(), 1)
  assert.deepEqual(await list('/battles?war_id=w1'), [['fought', 'w1']])
})

test('a battle has the alliances of its war’s sides, else the present ones, and keeps them', async () => {
  await chancery.ingest([
    ...['a1', 'a2', 'a3'].map(id => alliance(id)),
    ...['n3', 'n4'].map(id => nation(id)),
    member('n3', 'a3'),
    member('n1', 'a1'),
    war('w2', 'n1', 'n2'),
  ])
  await chancery.ingest([
    member('n1', 'a2'),
    battle('as-at-the-declaration', 'w2', 'n1', 'n3'),
    battle('as-at-present', null, 'n1', 'n3'),
    battle('as-sent', 'w2', 'n1', 'n3', { attacker_alliance_id: null, defender_alliance_id: 'a2' }),
  ])
  await chancery.ingest([
    member('n1', 'a3'),
    put('battle', { id: 'as-at-present', victor: 'draw' }),
    put('battle', { id: 'as-at-the-declaration', defender_nation_id: 'n4' }),
  ])
  const sides = async (id: string) => {
    type Sides = Record<`${'attacker' | 'defender'}_alliance_id`, string | null>
    const { data } = await chancery.read<{ data: Sides }>(`/battles/${id}`)
    return [data.attacker_alliance_id, data.defender_alliance_id]
  }
  assert.deepEqual(await sides('as-at-the-declaration'), ['a1', null])
  assert.deepEqual(await sides('as-at-present'), ['a2', 'a3'])
  assert.deepEqual(await sides('as-sent'), [null, 'a2'])
  assert.deepEqual((await list('/battles?alliance_id=a2')).map(([id]) => id).toSorted(), [
    'as-at-present',
    'as-sent',
  ])
})

test('a nation that a correction names has its alliance of the war, also if the fact does not name the war', async () => {
  await chancery.ingest([nation('n5'), alliance('a5'), member('n5', 'a5'), war('w5', 'n5', 'n2')])
  await chancery.ingest([member('n5', 'a1'), battle('corrected', 'w5', 'n2', 'n3')])
  await chancery.ingest([put('battle', { id: 'corrected', attacker_nation_id: 'n5' })])
  type Sides = { attacker_alliance_id: string | null }
  const { data } = await chancery.read<{ data: Sides }>('/battles/corrected')
  assert.equal(data.attacker_alliance_id, 'a5')
})

test('a battle is found by a nation that helped, until it is taken off the list', async () => {
  await chancery.ingest([
    nation('h1'),
    nation('h2'),
    battle('helped', null, 'n1', 'n2', {
      attacker_helper_nation_ids: ['h1'],
      defender_helper_nation_ids: ['h2'],
    }),
  ])
  for (const id of ['h1', 'h2'])
    assert.deepEqual(await list(`/battles?nation_id=${id}`), [['helped', null]], id)
  await chancery.ingest([put('battle', { id: 'helped', attacker_helper_nation_ids: [] })])
  assert.deepEqual(await list('/battles?nation_id=h1'), [])
  assert.deepEqual(await list('/battles?nation_id=h1,h2'), [['helped', null]])
})
