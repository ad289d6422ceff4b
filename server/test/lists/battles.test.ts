import assert from 'node:assert/strict'
import { test } from 'node:test'
import { battle, nation, put, war } from '../ingest/facts.ts'
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
