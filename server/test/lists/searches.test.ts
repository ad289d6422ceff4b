import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { roundLock } from '../../src/store/locks.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { type NationFilter, NationModel } from './nation-model.ts'

/** More than are sorted at once, so that matches are counted by stripes of places. */
const nations = 6_000
const batchSize = 1_000

function nameOf(number: number): string {
  if (number % 40 === 0) return 'Up'
  if (number % 41 === 0) return 'Land'
  return number % 7 === 0 ? `Land ${number}` : `${number % 2 ? 'Øst' : 'Up'}land`
}

let chancery: TestServer
let client: pg.Client
const told = new NationModel()
const ids = Array.from({ length: nations }, (_, number) => `n${number}`)
const alliances = ['a1', 'a2']

before(async () => {
  chancery = await startTestServer()
  client = new pg.Client({ connectionString: chancery.databaseUrl })
  await client.connect()
  await ingest(alliances.map(id => ({ op: 'put', resource: 'alliance', data: { id, name: id } })))
  // Nearly all are lands. Some letters are in half of the names, some in a few, and some names are short, all over the scores.
  await ingest(
    ids.map((id, number) => ({
      op: 'put',
      resource: 'nation',
      data: {
        id,
        nation_name: nameOf(number),
        leader_name: number % 900 === 0 ? 'Qi' : `Leader ${number % 11}`,
        national_score: (number * 7_919) % 1_009,
      },
    })),
  )
  await ingest(
    ids
      .filter((_, number) => number % 3 === 0)
      .map((nation_id, number) => ({
        op: 'put',
        resource: 'alliance_member',
        data: { nation_id, alliance_id: alliances[number % 2] },
      })),
  )
})
after(async () => {
  await client.end()
  await chancery.close()
})

async function ingest(facts: Fact[]): Promise<void> {
  for (let at = 0; at < facts.length; at += batchSize)
    await chancery.ingest(told.take(facts.slice(at, at + batchSize)), { waits: false })
}

interface Question {
  asked: NationFilter & { search: string }
  limit: number
  /** How far into the list the page is, from its first to one behind its last. */
  percent: number
}

const id = fc.constantFrom(...ids, 'new1', 'new2', 'new3')
const score = fc.integer({ min: 0, max: 1_100 })
const name = fc.constantFrom('Up', 'up', 'Qu', 'La', 'land', 'Landland', 'Øst', 'Xi_%', 'Q')
const fact = fc.oneof(
  {
    arbitrary: fc
      .record(
        { id, nation_name: name, leader_name: name, national_score: score },
        { requiredKeys: ['id', 'nation_name'] },
      )
      .map((data): Fact => ({ op: 'put', resource: 'nation', data })),
    weight: 6,
  },
  { arbitrary: id.map((key): Fact => ({ op: 'delete', resource: 'nation', id: key })), weight: 1 },
)
const question: fc.Arbitrary<Question> = fc.record({
  asked: fc.record(
    {
      search: fc.constantFrom(...'a l q u up la øs ØST 7 qi _ zz land'.split(' '), 'LEADER 1'),
      alliance_id: fc.subarray(alliances, { minLength: 1 }),
      status: fc.constantFrom('active', 'vacation'),
      min_score: score,
      max_score: score,
    },
    { requiredKeys: ['search'] },
  ),
  limit: fc.integer({ min: 1, max: 100 }),
  percent: fc.integer({ min: 0, max: 105 }),
})

interface Listed {
  data: { id: string }[]
  pagination: { total: number }
}

/** What a filter selects, in the order of the places that nations have now. */
async function expected(asked: NationFilter): Promise<string[]> {
  const { rows } = await client.query<{ nation_id: string; position: number }>(
    'select nation_id, position::int from chancery_world.nation_place',
  )
  return told.select(asked, new Map(rows.map(({ nation_id, position }) => [nation_id, position])))
}

async function compare({ asked, limit, percent }: Question): Promise<void> {
  const all = await expected(asked)
  const page = 1 + Math.floor((all.length / limit) * (percent / 100))
  const query = Object.entries(asked).map(([key, value]) => `${key}=${encodeURIComponent(`${value}`)}&`)
  const { data, pagination } = await chancery.read<Listed>(
    `/nations?${query.join('')}limit=${limit}&page=${page}`,
  )
  assert.equal(pagination.total, all.length)
  assert.deepEqual(
    data.map(listed => listed.id),
    all.slice((page - 1) * limit, page * limit),
  )
}

test('every page of a search in a large world is that of a plain look at all names, before and after ranking rounds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fact, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 3 }),
      fc.array(question, { minLength: 16, maxLength: 16 }),
      async (facts, waits, questions) => {
        await chancery.ingest(told.take(facts), { waits: waits === 0 })
        // Whoever holds this lock keeps the rounds away while places are compared.
        await client.query('select pg_advisory_lock($1)', [roundLock])
        try {
          for (const one of questions) await compare(one)
        } finally {
          await client.query('select pg_advisory_unlock($1)', [roundLock])
        }
      },
    ),
    { numRuns: randomRuns(20), endOnFailure: true },
  )
})

test('PostgreSQL knows from each ranking round how many stripes of places there are, so that it can share out their count', async () => {
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Moved' } }])
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Moved again' } }])
  const { rows } = await client.query(
    'explain (format json) select position / 512, count(*) from chancery_world.nation_place group by 1',
  )
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  assert.ok(plan['Plan Rows'] < 20, `${plan['Plan Rows']} stripes are expected`)
})
