import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, type operations, type ValuesFor } from '@chancery/contract'
import { listWars } from '../../src/resources/wars/store.ts'
import { createPool, raw, sql } from '../../src/store/database.ts'
import { nation, war } from '../ingest/facts.ts'
import { prepare, useFixture, useTestServer } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'

const nations = 2_000

const chancery = useTestServer({}, { facts: [nation('n1'), nation('n2'), war('w1', 'n1', 'n2')] })
const target = () => ({ connectionString: chancery.databaseUrl })
const pools = useFixture(async () => createTestPools(target()))
const one = useFixture(async () => createPool({ target: target(), connectionsMax: 1 }))
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

test('wars that a nation declared, defends or joined are found by indexes, and planned once for all nations', async () => {
  const context = { pools: { ...pools, public: one }, contract: contractFor(demoProfile) }
  for (let number = 10; number < 30; number += 1) {
    const filter = { nation_id: [`n${number}`], page: 1, limit: 25 } as ValuesFor<typeof operations.warsList>
    const { items, total } = await listWars(context, filter)
    const expected = [`w${number - 1}`, `w${number}`, `w${1000 + number}`]
    assert.deepEqual(items.map(({ id }) => id).sort(), expected.sort())
    assert.equal(total, 3)
  }
  const plans = await one.rows<{ name: string; parameters: number; shared: number }>(sql`
    select name, cardinality(parameter_types) as parameters, generic_plans as shared from pg_prepared_statements where statement like '%w.attacker_nation_id = $%' and statement not like '%pg_prepared%'`)
  assert.ok(plans.length > 0 && plans.every(({ shared }) => shared >= 10), JSON.stringify(plans))
  for (const { name, parameters } of plans) {
    const values = Array.from({ length: parameters }, () => "'10'").join(', ')
    const plan = JSON.stringify(await one.rows(sql`${raw(`explain execute "${name}" (${values})`)}`))
    assert.match(plan, /BitmapOr.*war_attacker.*war_defender.*war_pkey/)
    assert.doesNotMatch(plan, /Seq Scan on war\b/)
  }
})
