import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hasSubject,
  readMatching,
  selectBySubject,
  selectByTypeAndSubject,
} from '../../src/events/list-events.ts'
import { createPool, type Sql, sql } from '../../src/store/database.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

const chancery = closeAfter(await startTestServer())
const put = (resource: string, data: object): Fact => ({ op: 'put', resource, data })
const nations = ['n0', 'n1', 'n2', 'n3']
await chancery.ingest([
  ...nations.map(id => put('nation', { id, nation_name: id })),
  ...['a0', 'a1'].map(id => put('alliance', { id, name: id, tag: id })),
  // The last is in none, so that some wars are about one alliance alone.
  ...nations
    .slice(0, 3)
    .map((nation_id, index) => put('alliance_member', { nation_id, alliance_id: `a${index % 2}` })),
  ...nations.map((id, index) =>
    put('war', {
      id: `w${index}`,
      declared_at: '2026-05-01T00:00:00Z',
      attacker: { nation_id: id },
      defender: { nation_id: nations[(index + 1) % 4] },
    }),
  ),
])
const pool = closeAfter(
  createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_public',
    connectionsMax: 1,
  }),
)

async function numbers(chosen: Sql): Promise<number[]> {
  const rows = await pool.rows<{ seq: number }>(sql`select seq from (${chosen}) chosen order by seq`)
  return rows.map(({ seq }) => seq)
}

const some = (...values: string[]) => fc.subarray(values, { minLength: 1 })
const rarely = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: values, weight: 1 })
const queries = fc
  .record({
    type: rarely(some('war.declared', 'nation.founded', 'alliance.founded', 'alliance.member_joined')),
    nation_id: rarely(some('n0', 'n1', 'n2', 'n3', 'none')),
    alliance_id: rarely(some('a0', 'a1', 'none')),
    war_id: rarely(fc.constantFrom('w0', 'w3', 'none')),
    span: fc.record({ first: fc.integer({ min: 1, max: 8 }), last: fc.integer({ min: 6, max: 16 }) }),
    limit: fc.integer({ min: 1, max: 15 }),
  })
  .filter(hasSubject)

// Only a small log gives `selectByTypeAndSubject` kinds that are frequent in it.
test('a query for subjects returns the events that a sequential scan finds, by either index', async () => {
  let found = 0
  const check = async ({
    span,
    limit,
    ...query
  }: typeof queries extends fc.Arbitrary<infer Q> ? Q : never) => {
    const { type, nation_id, alliance_id, war_id } = query
    const expected = await numbers(sql`
      select seq from chancery_world.event where seq >= ${span.first} and seq <= ${span.last}
        and (${type ?? null}::text[] is null or type = any(${type ?? null}))
        and (${nation_id ?? null}::text[] is null or nation_ids ?| ${nation_id ?? null})
        and (${alliance_id ?? null}::text[] is null or alliance_ids ?| ${alliance_id ?? null})
        and (${war_id ?? null}::text is null or war_id = ${war_id ?? null})`)
    assert.deepEqual(await numbers(selectBySubject(span, query)), expected)
    const newest = await numbers(selectBySubject(span, query, { order: sql`e.seq desc`, rows: limit }))
    assert.deepEqual(newest.slice(-limit), expected.slice(-limit))
    if (type && war_id === undefined)
      assert.deepEqual(await numbers(selectByTypeAndSubject(type, span, query)), expected)
    const matching = await readMatching(pool, span, query, limit)
    assert.deepEqual(
      matching.map(({ seq }) => seq),
      expected.slice(0, limit),
    )
    found += expected.length
  }
  await fc.assert(fc.asyncProperty(queries, check), { numRuns: 4 * randomRuns(40) })
  assert.ok(found > 0, 'events were found')
})
