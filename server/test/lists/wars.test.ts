import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, type operations, type ValuesFor } from '@chancery/contract'
import { listWars } from '../../src/resources/wars/store.ts'
import { createPool, sql } from '../../src/store/database.ts'
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
  await one.rows(sql`analyze chancery_world.war`)
})

test('wars of one nation are found, and planned once for all nations', async () => {
  const context = { pools: { ...pools, public: one }, contract: contractFor(demoProfile) }
  for (let number = 10; number < 30; number += 1) {
    const filter = { nation_id: [`n${number}`], page: 1, limit: 25 } as ValuesFor<typeof operations.warsList>
    const { items, total } = await listWars(context, filter)
    assert.deepEqual(items.map(({ id }) => id).sort(), [`w${number - 1}`, `w${number}`].sort())
    assert.equal(total, 2)
  }
  const plans = await one.rows<{ shared: number }>(sql`
    select generic_plans as shared from pg_prepared_statements where statement like '%w.attacker_nation_id = $%' and statement not like '%pg_prepared%'`)
  assert.ok(plans.length > 0 && plans.every(({ shared }) => shared >= 10), JSON.stringify(plans))
})
