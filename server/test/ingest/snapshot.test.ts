import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { type FactResource, factResources } from '@chancery/contract'
import fc from 'fast-check'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { alliance, factsOn, member, nation, put, rejectionOf, remove, seqOf, war } from './facts.ts'

let chancery: TestServer | undefined
beforeEach(async () => {
  await chancery?.close()
  chancery = await startTestServer()
})
after(() => chancery?.close())

const running = () => chancery as TestServer
const snapshot = (resource: FactResource, more: object = {}): Fact => ({ op: 'snapshot', resource, ...more })
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

const apply = (batch: string, ...facts: Fact[]) => factsOn(running()).send(batch, ...facts)

/** Those of some nations that exist. Lists of nations change only with the ranking round. */
async function existing(ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map(async id => (await running().get(`/nations/${id}`)).status === 200))
  return ids.filter((_, index) => found[index])
}

async function warIds(): Promise<string[]> {
  const { data } = await running().read<{ data: { id: string }[] }>('/wars?limit=100')
  return data.map(({ id }) => id).sort()
}

test('entities that a snapshot leaves out are deleted, with the events of deletions', async () => {
  await apply('world', ...numbered('n', 12).map(id => nation(id)))
  const outcome = await apply(
    'whole',
    snapshot('nation', { at: '2026-05-20T10:00:00Z' }),
    ...numbered('n', 11).map(id => nation(id)),
  )
  assert.equal(outcome?.status, 'applied')
  assert.equal(outcome.events, 1)
  const { data } = await running().read<{ data: Record<string, unknown>[] }>('/events?type=nation.deleted')
  assert.deepEqual(
    data.map(({ occurred_at, nation_ids }) => ({ occurred_at, nation_ids })),
    [{ occurred_at: '2026-05-20T10:00:00Z', nation_ids: ['n12'] }],
  )
})

test('the same snapshot again changes nothing', async () => {
  const facts = [snapshot('nation'), ...numbered('n', 5).map(id => nation(id))]
  await apply('once', ...facts)
  const seq = await seqOf(running())
  const again = await apply('again', ...facts)
  assert.deepEqual({ status: again?.status, events: again?.events }, { status: 'applied', events: 0 })
  assert.equal(await seqOf(running()), seq)
})

test('deleting more than a tenth is rejected, unless the game allows it', async () => {
  await apply('world', ...numbered('n', 30).map(id => nation(id)))
  const seq = await seqOf(running())
  const rejection = rejectionOf(await apply('empty', snapshot('nation')))
  assert.deepEqual({ line: rejection.line, path: rejection.path }, { line: 1, path: '/resource' })
  assert.match(rejection.reason, /omits 30 of 30 rows of nation.*allow_deletes/)
  assert.match(
    rejectionOf(await apply('four', snapshot('nation'), ...numbered('n', 26).map(id => nation(id)))).reason,
    /omits 4 of 30/,
  )
  assert.equal(await seqOf(running()), seq, 'nothing of either is stored')
  assert.equal(
    (await apply('three', snapshot('nation'), ...numbered('n', 27).map(id => nation(id))))?.status,
    'applied',
  )
  assert.equal((await apply('all', snapshot('nation', { allow_deletes: true })))?.status, 'applied')
  assert.deepEqual(await existing(numbered('n', 30)), [])
})

test('of a few entities one may be deleted', async () => {
  await apply('world', ...numbered('n', 3).map(id => nation(id)))
  assert.match(rejectionOf(await apply('two', snapshot('nation'), nation('n1'))).reason, /omits 2 of 3/)
  assert.equal((await apply('one', snapshot('nation'), nation('n1'), nation('n2')))?.status, 'applied')
})

test('members of an alliance that the same batch leaves out are not counted against theirs', async () => {
  const nations = numbered('n', 60)
  const alliances = [...numbered('b', 10), 'a1']
  await apply(
    'world',
    ...nations.map(id => nation(id)),
    ...alliances.map(id => alliance(id)),
    ...nations.map((id, index) => member(id, index < 40 ? 'a1' : 'b1')),
  )
  const outcome = await apply(
    'disbanded',
    snapshot('alliance'),
    ...alliances.filter(id => id !== 'a1').map(id => alliance(id)),
    snapshot('alliance_member'),
    ...nations.slice(40).map(id => member(id, 'b1')),
  )
  assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
  assert.equal(outcome.events, 41)
})

test('excepted entities are kept', async () => {
  await apply('world', ...numbered('n', 4).map(id => nation(id)))
  await apply(
    'whole',
    snapshot('nation', { except: ['n4', 'never'] }),
    nation('n1'),
    nation('n2'),
    nation('n3'),
  )
  assert.deepEqual(await existing(['n1', 'n2', 'n3', 'n4', 'never']), ['n1', 'n2', 'n3', 'n4'])
})

test('a snapshot precedes the facts of its resource, and occurs once', async () => {
  for (const [batch, ...facts] of [
    ['after a put', nation('n1'), snapshot('nation')],
    ['after a delete', remove('nation', 'n1'), snapshot('nation')],
    ['twice', snapshot('nation'), snapshot('nation')],
  ] as [string, ...Fact[]][]) {
    const rejection = rejectionOf(await apply(batch.replaceAll(' ', '-'), ...facts))
    assert.deepEqual(rejection, {
      line: 2,
      path: '/op',
      reason: 'a snapshot must come before all other facts about nation in its batch',
    })
  }
  // A snapshot of another resource may be anywhere.
  assert.equal((await apply('other', nation('n1'), snapshot('alliance')))?.status, 'applied')
})

test('a snapshot of each resource is applied', async () => {
  for (const resource of factResources) {
    const outcome = await apply(`none-${resource}`, snapshot(resource))
    assert.deepEqual({ resource, status: outcome?.status }, { resource, status: 'applied' })
  }
})

test('applicants and prices that are left out go as well', async () => {
  await apply(
    'world',
    nation('n1'),
    alliance('a1'),
    put('alliance_application', { nation_id: 'n1', alliance_id: 'a1' }),
    put('market_price', { resource: 'iron', price: 5, currency: 'credits', as_of: '2026-05-20T10:00:00Z' }),
  )
  const outcome = await apply('none', snapshot('alliance_application'), snapshot('market_price'))
  assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
  assert.deepEqual((await running().read<{ data: unknown[] }>('/market/price')).data, [])
})

test('snapshots and single facts lead to the same world', async () => {
  const ids = numbered('p', 8)
  const worldOf = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 0, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(worldOf, { minLength: 1, maxLength: 4 }), fc.uuid(), async (worlds, run) => {
      for (const [round, world] of worlds.entries()) {
        const outcome = await apply(
          `${run}-${round}`,
          snapshot('war', { allow_deletes: true }),
          snapshot('nation', { allow_deletes: true }),
          ...world.map(id => nation(id)),
          ...world.slice(1).map(id => war(`w${id}`, id, world[0] ?? id)),
        )
        assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
        assert.deepEqual(
          await warIds(),
          world
            .slice(1)
            .map(id => `w${id}`)
            .sort(),
        )
        assert.deepEqual(
          await existing(ids),
          ids.filter(id => world.includes(id)),
        )
      }
    }),
    { numRuns: randomRuns(40) },
  )
})
