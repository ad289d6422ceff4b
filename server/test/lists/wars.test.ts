import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, type operations, type ValuesFor } from '@chancery/contract'
import { createListWars } from '../../src/resources/wars/store.ts'
import { createPool, raw, sql } from '../../src/store/database.ts'
import { nation, war } from '../ingest/facts.ts'
import { prepare, useFixture, useTestServer } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'

type Filter = ValuesFor<typeof operations.warsList>

const nations = 2_000

const chancery = useTestServer({}, { facts: [nation('n1'), nation('n2'), war('w1', 'n1', 'n2')] })
const target = () => ({ connectionString: chancery.databaseUrl })
const pools = useFixture(async () => createTestPools(target()))
const one = useFixture(async () =>
  createPool({ target: target(), connectionsMax: 1, settings: { plan_cache_mode: 'force_generic_plan' } }),
)
prepare(async () => {
  await one.rows(sql`
    insert into chancery_world.war
    select (jsonb_populate_record(w, jsonb_build_object(
      'id', 'w' || i, 'attacker_nation_id', 'n' || i, 'defender_nation_id', 'n' || i % ${nations} + 1))).*
    from chancery_world.war w, generate_series(2::int, ${nations}::int) i`)
  // Only some nations joined wars: n10 to n29 one each.
  await one.rows(sql`
    insert into chancery_world.war_participant (war_id, number, side, nation_id)
    select 'w' || 1000 + i, 1, 'attacker', 'n' || i from generate_series(10::int, 29::int) i`)
  await one.rows(sql`analyze chancery_world.war, chancery_world.war_participant`)
})

test('wars that a nation declared, defends or joined are found by indexes', async () => {
  const listWars = createListWars({ pools: { ...pools, lookups: one }, contract: contractFor(demoProfile) })
  for (let number = 10; number < 30; number += 1) {
    const filter = { nation_id: [`n${number}`], page: 1, limit: 25 } as Filter
    const { items, total } = await listWars(filter)
    const expected = [`w${number - 1}`, `w${number}`, `w${1000 + number}`]
    assert.deepEqual(items.map(({ id }) => id).sort(), expected.sort())
    assert.equal(total, 3)
  }
  const prepared = sql`select name from pg_prepared_statements where statement like '%w.attacker_nation_id = r.nation_id%' and statement not like '%pg_prepared%'`
  const [{ name } = { name: '' }, ...others] = await one.rows<{ name: string }>(prepared)
  assert.deepEqual(others, [])
  const plan = JSON.stringify(
    await one.rows(sql`${raw(`explain execute "${name}" ('{n10}', '{NULL}', '{0}', '{25}')`)}`),
  )
  assert.match(plan, /BitmapOr.*war_attacker.*war_defender.*war_pkey/)
  assert.doesNotMatch(plan, /Seq Scan on war\b/)
})

test('pages that are requested at once are each as if it were requested alone', async () => {
  const listWars = createListWars({ pools, contract: contractFor(demoProfile) })
  await one.rows(sql`update chancery_world.war set status = 'ended' where id = 'w1010'`)
  // More than are read with those of other nations.
  await one.rows(sql`
    insert into chancery_world.war
    select (jsonb_populate_record(w, jsonb_build_object('id', 'many' || i, 'attacker_nation_id', 'n11', 'defender_nation_id', 'n3'))).*
    from chancery_world.war w, generate_series(1::int, ${nations}::int) i where w.id = 'w1'`)
  const requests = ['n10', 'n11', 'n12', 'none'].flatMap(id =>
    ([undefined, 'active', 'ended'] as const).flatMap(status =>
      [1, 2, 3, 1_000_000_000_000].map(page => ({
        nation_id: [id],
        ...(status && { status }),
        page,
        limit: 2,
      })),
    ),
  )
  const alone = []
  // Two nations are no such request.
  for (const request of requests)
    alone.push(await listWars({ ...request, nation_id: [...request.nation_id, 'other'] }))
  assert.deepEqual(await Promise.all(requests.map(request => listWars(request))), alone)
  assert.deepEqual(
    alone.slice(0, 4).map(page => page.items.length),
    [2, 1, 0, 0],
  )
})
