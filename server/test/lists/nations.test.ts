import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { roundLock } from '../../src/store/locks.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { type NationFilter, NationModel } from './nation-model.ts'

let chancery: TestServer
let client: pg.Client
const told = new NationModel()
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(
    ['a1', 'a2'].map((id): Fact => ({ op: 'put', resource: 'alliance', data: { id, name: id } })),
  )
  client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
})
after(async () => {
  await client.end()
  await chancery.close()
})

const ids = Array.from({ length: 24 }, (_, number) => `n${number}`)
const id = fc.constantFrom(...ids)
// Few letters, so that texts meet: one that folds to others, one of two UTF-16 units, and what LIKE and backslashes would trip over.
const text = fc.array(fc.constantFrom('a', 'b', 'AB', 'É', 'ﬁ', '🜂', '%', '_', '\\', ' '), {
  minLength: 1,
  maxLength: 4,
})
const name = text.map(parts => `x${parts.join('')}`)
const score = fc.integer({ min: 0, max: 5 })
const status = fc.constantFrom('active', 'protected', 'vacation', 'inactive')
const alliance = fc.constantFrom('a1', 'a2')

const nation = fc.record(
  { id, nation_name: name, leader_name: name, national_score: score, status },
  { requiredKeys: ['id', 'nation_name'] },
)
const fact = fc.oneof(
  { arbitrary: nation.map((data): Fact => ({ op: 'put', resource: 'nation', data })), weight: 6 },
  { arbitrary: id.map((key): Fact => ({ op: 'delete', resource: 'nation', id: key })), weight: 1 },
)
const membership = fc.tuple(id, fc.option(alliance))

const every = fc.record({
  search: fc.oneof(
    fc.constantFrom('x', 'a', 'b', 'xa', 'ab'),
    name,
    text.map(parts => parts.join('').trim() || 'x'),
  ),
  ids: fc.array(id, { minLength: 1, maxLength: 16 }),
  alliance_id: fc.array(alliance, { minLength: 1, maxLength: 2 }),
  status,
  min_score: score,
  max_score: score,
})
const keys = ['search', 'ids', 'alliance_id', 'status', 'min_score', 'max_score'] as const
/** One filter or two: of more, most select nothing. */
const filter: fc.Arbitrary<NationFilter> = fc
  .tuple(every, fc.subarray([...keys], { minLength: 1, maxLength: 2 }))
  .map(([values, taken]) => Object.fromEntries(taken.map(key => [key, values[key]])))

interface Listed {
  data: { id: string }[]
  pagination: { total: number }
}

async function readAll(asked: NationFilter, limit: number): Promise<{ ids: string[]; totals: Set<number> }> {
  const query = Object.entries(asked).map(([key, value]) => `${key}=${encodeURIComponent(`${value}`)}&`)
  const seen: string[] = []
  const totals = new Set<number>()
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await chancery.read<Listed>(
      `/nations?${query.join('')}limit=${limit}&page=${page}`,
    )
    totals.add(pagination.total)
    seen.push(...data.map(listed => listed.id))
    if (data.length === 0) return { ids: seen, totals }
  }
}

test('whatever a list of nations selects, its pages fit together to just that, in order, also before the next ranking round', async () => {
  // Whoever holds this lock keeps the rounds away.
  await client.query('select pg_advisory_lock($1)', [roundLock])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fact, { minLength: 1, maxLength: 16 }),
      fc.array(membership, { maxLength: 6 }),
      fc.array(fc.tuple(filter, fc.integer({ min: 1, max: 7 })), { minLength: 4, maxLength: 4 }),
      async (facts, memberships, questions) => {
        await chancery.ingest(told.take(facts), { waits: false })
        const alive = memberships.filter(([key]) => told.nations.has(key))
        const members = alive.map(
          ([nation_id, alliance_id]): Fact =>
            alliance_id === null
              ? { op: 'delete', resource: 'alliance_member', id: nation_id }
              : { op: 'put', resource: 'alliance_member', data: { nation_id, alliance_id } },
        )
        if (members.length > 0) await chancery.ingest(told.take(members), { waits: false })
        for (const [asked, limit] of questions) {
          const expected = told.select(asked)
          const { ids: found, totals } = await readAll(asked, limit)
          assert.deepEqual(found.toSorted(), expected.toSorted())
          assert.deepEqual([...totals], [expected.length])
        }
      },
    ),
    { numRuns: randomRuns(80), endOnFailure: true },
  )
  await client.query('select pg_advisory_unlock($1)', [roundLock])
  // A round that has seen all: the order is that of the scores.
  await chancery.ingest([{ op: 'put', resource: 'alliance', data: { id: 'a3', name: 'a3' } }])
  for (const [asked, limit] of fc.sample(fc.tuple(filter, fc.integer({ min: 1, max: 7 })), 80)) {
    const { ids: found } = await readAll(asked, limit)
    assert.deepEqual(found, told.select(asked), JSON.stringify(asked))
  }
})
