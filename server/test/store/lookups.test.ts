import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { createFindAlliance } from '../../src/resources/alliances/store.ts'
import { createFindNation, createFindNationOfPlayer } from '../../src/resources/nations/store.ts'
import { createFindWar } from '../../src/resources/wars/store.ts'
import { type Database, type DatabasePool, sql } from '../../src/store/database.ts'
import type { ReadContext } from '../../src/store/fact-columns.ts'
import { useFixture, useTestDatabase } from '../support/fixture.ts'
import { createTestPools } from '../support/pools.ts'

const database = useTestDatabase()
const pools = useFixture(async () => createTestPools(database.target))

/** Runs with pools whose statements are counted. */
async function counting(work: (context: ReadContext, count: () => number) => Promise<void>): Promise<void> {
  let statements = 0
  const counted = (pool: DatabasePool): DatabasePool => ({
    ...pool,
    rows: <R>(statement: Parameters<Database['rows']>[0]) => {
      statements += 1
      return pool.rows<R>(statement)
    },
  })
  const seen = { ...pools, lookups: counted(pools.lookups), owner: counted(pools.owner) }
  await work({ pools: seen, contract: contractFor(demoProfile) }, () => statements)
}

for (const [what, create] of [
  ['nations', createFindNation],
  ['wars', createFindWar],
  ['alliances', createFindAlliance],
  [
    'nations of players',
    (context: ReadContext) => {
      const find = createFindNationOfPlayer(context)
      return (playerId: string) => find(playerId, { fields: ['military'], attributes: [] })
    },
  ],
] as const) {
  test(`${what} that are requested concurrently are read in one statement, after the first`, () =>
    counting(async (context, count) => {
      const find = create(context)
      const ids = Array.from({ length: 100 }, (_, number) => `id${number}`)
      const found = await Promise.all(ids.map(id => find(id)))
      assert.deepEqual(new Set(found), new Set([undefined]))
      assert.equal(count(), 2)
    }))
}

test('a query by keys is planned once, however many keys are given', () =>
  pools.lookups.connection(async db => {
    for (let keys = 1; keys <= 30; keys += 1) {
      const ids = Array.from({ length: keys }, (_, number) => `id${number}`)
      await db.rows(sql`select w.id as planned from chancery_world.war w where w.id = any(${ids})`)
    }
    const [plans] = await db.rows<{ own: number; shared: number }>(sql`
      select custom_plans as own, generic_plans as shared from pg_prepared_statements where statement like 'select w.id as planned%'`)
    assert.deepEqual(plans, { own: 0, shared: 30 })
  }))
