import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { chosenBySubject, chosenOfKinds, hasSubject } from '../../src/events/filters.ts'
import { readMatching } from '../../src/events/store.ts'
import { createPool, type DatabasePool, type Sql, sql } from '../../src/store/database.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

let chancery: TestServer
let pool: DatabasePool
before(async () => {
  chancery = await startTestServer()
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
  pool = createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_public',
    connectionsMax: 1,
  })
})
after(async () => {
  await pool.close()
  await chancery.close()
})

async function numbers(chosen: Sql): Promise<number[]> {
  const rows = await pool.rows<{ seq: number }>(sql`select seq from (${chosen}) chosen order by seq`)
  return rows.map(({ seq }) => seq)
}

const some = (...values: string[]) => fc.subarray(values, { minLength: 1 })
const rarely = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: values, weight: 1 })
const question = fc
  .record({
    type: rarely(some('war.declared', 'nation.founded', 'alliance.founded', 'alliance.member_joined')),
    nation_id: rarely(some('n0', 'n1', 'n2', 'n3', 'nobody')),
    alliance_id: rarely(some('a0', 'a1', 'nobody')),
    war_id: rarely(fc.constantFrom('w0', 'w3', 'none')),
    span: fc.record({ first: fc.integer({ min: 1, max: 8 }), last: fc.integer({ min: 6, max: 16 }) }),
    limit: fc.integer({ min: 1, max: 15 }),
  })
  .filter(hasSubject)

// A small log has few of any kind: a question of frequent kinds is only asked here.
test('events about somebody are those that a plain look at each finds, whether found by kind or by whom they are about', async () => {
  let found = 0
  const ask = async ({
    span,
    limit,
    ...asked
  }: typeof question extends fc.Arbitrary<infer Q> ? Q : never) => {
    const { type, nation_id, alliance_id, war_id } = asked
    const expected = await numbers(sql`
      select seq from chancery_world.event where seq >= ${span.first} and seq <= ${span.last}
        and (${type ?? null}::text[] is null or type = any(${type ?? null}))
        and (${nation_id ?? null}::text[] is null or nation_ids ?| ${nation_id ?? null})
        and (${alliance_id ?? null}::text[] is null or alliance_ids ?| ${alliance_id ?? null})
        and (${war_id ?? null}::text is null or war_id = ${war_id ?? null})`)
    assert.deepEqual(await numbers(chosenBySubject(span, asked)), expected)
    if (type && war_id === undefined)
      assert.deepEqual(await numbers(chosenOfKinds(type, span, asked)), expected)
    const matching = await readMatching(pool, span, asked, limit)
    assert.deepEqual(
      matching.map(({ seq }) => seq),
      expected.slice(0, limit),
    )
    found += expected.length
  }
  await fc.assert(fc.asyncProperty(question, ask), { numRuns: 4 * randomRuns(40) })
  assert.ok(found > 0, 'some were found')
})
