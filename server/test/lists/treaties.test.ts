import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, operations } from '@chancery/contract'
import { createPool, raw, sql } from '../../src/store/database.ts'
import { createDerivedList } from '../../src/store/derived-lists.ts'
import { alliance, factsOn, member, nation, put, rejectionOf, remove } from '../ingest/facts.ts'
import { prepare, useFixture, useTestServer } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'
import type { Fact } from '../support/test-server.ts'

interface Treaty {
  id: string
  status: string
  signed_at: string | null
  expires_at: string | null
  ended_at: string | null
}

const day = (number: number) => `2026-05-${String(number).padStart(2, '0')}T00:00:00Z`

const chancery = useTestServer()
const pools = useFixture(async () => createTestPools({ connectionString: chancery.databaseUrl }))
const facts = factsOn(chancery)
let batches = 0
const send = (...of: Fact[]) => {
  batches += 1
  return facts.send(`treaties-${batches}`, ...of)
}
const apply = async (...of: Fact[]) => {
  const outcome = await send(...of)
  assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
}
prepare(() => facts.ingest(...['n1', 'n2'].map(id => nation(id)), ...['a1', 'a2'].map(id => alliance(id))))

const read = (id: string) => facts.read(`/treaties/${id}`) as unknown as Promise<Treaty>
const ids = async (query: string) => (await facts.list(`/treaties?${query}`)).map(({ id }) => String(id))
const kindsOf = async (filter: string) =>
  (await facts.list(`/events?type=treaty.*&${filter}`)).map(({ type, occurred_at }) => [type, occurred_at])

const betweenAlliances = (id: string, first: string, second: string, more: object = {}) =>
  put('treaty', { id, alliance_ids: [first, second], type: 'non_aggression', ...more })
const betweenNations = (id: string, first: string, second: string, more: object = {}) =>
  put('treaty', { id, nation_ids: [first, second], type: 'non_aggression', ...more })

test('a fact with `type` sets one kind, a fact with `types` all of them', async () => {
  const kinds = async () => {
    const { type, types } = await facts.read('/treaties/kinds')
    return [type, types]
  }
  const two = ['protectorate', 'optional_defense']
  await apply(put('treaty', { id: 'kinds', nation_ids: ['n1', 'n2'], types: two }))
  assert.deepEqual(await kinds(), ['protectorate', two])
  await apply(put('treaty', { id: 'kinds', expires_at: day(30) }))
  assert.deepEqual(await kinds(), ['protectorate', two])
  await apply(put('treaty', { id: 'kinds', type: 'non_aggression' }))
  assert.deepEqual(await kinds(), ['non_aggression', ['non_aggression']])
  await apply(put('treaty', { id: 'kinds', type: 'protectorate', types: [...two, 'protectorate'] }))
  assert.deepEqual(await kinds(), ['protectorate', two])
})

test('an alliance returns its treaties in force with alliances, and no others', async () => {
  await apply(
    alliance('list'),
    member('n1', 'list'),
    betweenAlliances('list-1', 'list', 'a1', { types: ['non_aggression', 'protectorate'] }),
    betweenAlliances('list-2', 'a2', 'list', { signed_at: day(1) }),
    betweenAlliances('list-3', 'a2', 'list', { ended_at: day(2) }),
    betweenNations('list-4', 'n1', 'n2'),
  )
  assert.deepEqual((await facts.read('/alliances/list')).treaties, [
    {
      alliance_id: 'a1',
      name: 'Alliance a1',
      type: 'non_aggression',
      types: ['non_aggression', 'protectorate'],
      signed_at: null,
      expires_at: null,
    },
    {
      alliance_id: 'a2',
      name: 'Alliance a2',
      type: 'non_aggression',
      types: ['non_aggression'],
      signed_at: day(1),
      expires_at: null,
    },
  ])
  assert.deepEqual(await ids('alliance_id=list'), ['list-2', 'list-1', 'list-3'])
})

test('a treaty ends with its nation or alliance, and stays in the list', async () => {
  await apply(
    nation('gone'),
    alliance('gone'),
    alliance('gone-2'),
    member('gone', 'a1'),
    betweenNations('gone-n', 'n2', 'gone', { signed_at: day(1) }),
    betweenAlliances('gone-a', 'gone', 'gone-2'),
    betweenNations('gone-old', 'n2', 'gone', { ended_at: day(2) }),
  )
  await apply(
    remove('nation', 'gone', day(5)),
    remove('alliance', 'gone', day(6)),
    remove('alliance', 'gone-2', day(6)),
  )
  const ends = await Promise.all(['gone-n', 'gone-a', 'gone-old'].map(read))
  assert.deepEqual(
    ends.map(({ status, ended_at }) => [status, ended_at]),
    [
      ['ended', day(5)],
      ['ended', day(6)],
      ['ended', day(2)],
    ],
  )
  assert.deepEqual(await ids('nation_id=gone'), ['gone-n', 'gone-old'])
  assert.deepEqual((await kindsOf('nation_id=gone&limit=1')).flat(), ['treaty.ended_between_nations', day(5)])
  assert.deepEqual((await kindsOf('alliance_id=gone&limit=1')).flat(), ['treaty.ended', day(6)])
})

test('a game may correct the end of a treaty that ended with a party, and ends it in the same batch', async () => {
  await apply(nation('same'), betweenNations('same', 'same', 'n1', { signed_at: day(1) }))
  await apply(
    betweenNations('same', 'same', 'n1', { signed_at: day(1), ended_at: day(3) }),
    remove('nation', 'same', day(4)),
  )
  assert.equal((await read('same')).ended_at, day(3))
  await apply(put('treaty', { id: 'same', ended_at: day(2) }))
  assert.equal((await read('same')).ended_at, day(2))
  assert.deepEqual(await kindsOf('nation_id=same'), [
    ['treaty.ended_between_nations', day(4)],
    ['treaty.signed_between_nations', day(1)],
  ])
})

test('a fact with parties and no end, about a treaty that ended with a party, is another treaty', async () => {
  const again = betweenAlliances('again', 'again', 'a1')
  await apply(alliance('again'), betweenAlliances('again', 'again', 'a1', { expires_at: day(9) }))
  await apply(remove('alliance', 'again'))
  assert.equal(rejectionOf(await send(again)).reason, 'there is no alliance again')
  await apply(put('treaty', { id: 'again', type: 'protectorate' }))
  assert.equal((await read('again')).status, 'ended')
  await apply(alliance('again'), again)
  const { status, ended_at, expires_at } = await read('again')
  assert.deepEqual([status, ended_at, expires_at], ['active', null, null])
  const kinds = (await kindsOf('alliance_id=again')).map(([kind]) => kind)
  assert.deepEqual(kinds, ['treaty.signed', 'treaty.ended', 'treaty.signed'])
})

test('another treaty under the id of one that ended with a party has nothing of it', async () => {
  await apply(alliance('other'), betweenAlliances('other', 'other', 'a1', { signed_at: day(1) }))
  await apply(remove('alliance', 'other', day(2)))
  const nation_ids = ['n1', 'n2']
  const rejection = rejectionOf(await send(put('treaty', { id: 'other', nation_ids })))
  assert.deepEqual([rejection.path, rejection.reason], ['/data/type', 'is required for a new treaty'])
  await apply(put('treaty', { id: 'other', nation_ids, types: ['protectorate'] }))
  assert.deepEqual(await facts.read('/treaties/other'), {
    ...{ id: 'other', status: 'active', alliance_ids: [], nation_ids },
    ...{ type: 'protectorate', types: ['protectorate'] },
    ...{ signed_at: null, expires_at: null, ended_at: null },
  })
})

test('a correction of a treaty that ended with a party leaves it to history', async () => {
  await apply(alliance('late'), betweenAlliances('late', 'late', 'a1'))
  await apply(remove('alliance', 'late', day(2)))
  await apply(betweenAlliances('late', 'late', 'a1', { ended_at: day(3) }))
  const others = (await ids('limit=100')).filter(id => id !== 'late')
  await apply({ op: 'snapshot', resource: 'treaty', except: others })
  assert.equal((await read('late')).ended_at, day(3))
})

test('a treaty that the game ended can be in force again only between parties that exist', async () => {
  await apply(nation('back'), betweenNations('back', 'n1', 'back', { ended_at: day(2) }))
  await apply(put('treaty', { id: 'back', status: 'active' }))
  assert.deepEqual([(await read('back')).status, (await read('back')).ended_at], ['active', null])
  assert.equal((await kindsOf('nation_id=back&limit=1'))[0]?.[0], 'treaty.signed_between_nations')
  await apply(put('treaty', { id: 'back', status: 'ended' }), remove('nation', 'back'))
  const rejection = rejectionOf(await send(put('treaty', { id: 'back', status: 'active' })))
  assert.deepEqual([rejection.path, rejection.reason], ['/data/id', 'there is no nation back'])
})

test('a snapshot deletes treaties that it leaves out, but not those that ended with a party', async () => {
  const many = Array.from({ length: 40 }, (_, index) => `s${index}`)
  await apply(
    alliance('snap'),
    ...many.map(id => betweenAlliances(id, 'snap', 'a1')),
    betweenAlliances('kept', 'a1', 'a2'),
    betweenAlliances('left-out', 'a1', 'a2', { ended_at: day(2) }),
  )
  await apply(remove('alliance', 'snap'))
  const others = (await ids('limit=100')).filter(id => !many.includes(id) && id !== 'left-out')
  await apply({ op: 'snapshot', resource: 'treaty', except: others })
  const left = await ids('limit=100')
  assert.deepEqual(left.toSorted(), [...others, ...many].toSorted())
})

test('of treaties of a hundred nations and one kind, those of the nations are read first', async () => {
  await apply(betweenNations('pattern', 'n1', 'n2'))
  const pool = createPool({
    target: { connectionString: chancery.databaseUrl },
    connectionsMax: 1,
    settings: { plan_cache_mode: 'force_custom_plan' },
  })
  const context = { pools: { ...pools, public: pool }, contract: contractFor(demoProfile) }
  const list = createDerivedList(context, operations.treatiesList)
  await pool.rows(sql`
    insert into chancery_world.treaty
    select (jsonb_populate_record(t, jsonb_build_object(
      'id', 'many' || i, 'nation_ids', array['many' || i, 'many' || i + 1]))).*
    from chancery_world.treaty t, generate_series(1::int, 20000) i where t.id = 'pattern'`)
  await pool.rows(sql`analyze chancery_world.treaty`)
  const nation_id = Array.from({ length: 100 }, (_, index) => `many${10 * index + 5}`)
  const filter = { nation_id, type: 'non_aggression', page: 1, limit: 10 }
  const { total } = await list(filter)
  assert.equal(total, 200)
  const prepared = sql`select name from pg_prepared_statements where statement like 'select count%chancery_world.treaty t where%'`
  const [{ name } = { name: '' }, ...others] = await pool.rows<{ name: string }>(prepared)
  assert.deepEqual(others, [])
  const values = `'{${nation_id}}', '{non_aggression}'`
  const plan = JSON.stringify(await pool.rows(sql`${raw(`explain execute "${name}" (${values})`)}`))
  assert.match(plan, /InitPlan.*nation_ids && .*Index Scan using treaty_pkey/)
  await pool.close()
})
