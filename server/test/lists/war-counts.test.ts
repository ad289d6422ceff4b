import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { put, remove } from '../ingest/facts.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest([
    ...['a1', 'a2', 'a3'].map(id => put('alliance', { id, name: id })),
    ...['n1', 'n2'].map(id => put('nation', { id, nation_name: id })),
  ])
})
after(() => chancery.close())

interface ToldWar {
  id: string
  status: string
  day: number
  sides: (string | null)[]
}
const alliance = fc.constantFrom('a1', 'a2', 'a3', null)
const war: fc.Arbitrary<ToldWar> = fc.record({
  id: fc.integer({ min: 1, max: 20 }).map(number => `w${number}`),
  status: fc.constantFrom('active', 'ended'),
  day: fc.integer({ min: 1, max: 9 }),
  sides: fc.tuple(alliance, alliance),
})

const factOf = ({ id, status, day, sides: [attacker, defender] }: ToldWar): Fact =>
  put('war', {
    id,
    status,
    declared_at: `2026-05-0${day}T12:00:00Z`,
    attacker: { nation_id: 'n1', alliance_id: attacker },
    defender: { nation_id: 'n2', alliance_id: defender },
  })

interface Asked {
  status?: string | undefined
  alliance_id?: string[] | undefined
}
const asked: fc.Arbitrary<Asked> = fc.record({
  status: fc.option(fc.constantFrom('active', 'ended'), { nil: undefined }),
  alliance_id: fc.option(fc.subarray(['a1', 'a2', 'a3', 'none'], { minLength: 1 }), { nil: undefined }),
})

const select = (wars: Iterable<ToldWar>, { status, alliance_id }: Asked): string[] =>
  [...wars]
    .filter(
      told =>
        (status ?? told.status) === told.status &&
        (alliance_id === undefined || told.sides.some(id => id !== null && alliance_id.includes(id))),
    )
    .sort((one, other) => other.day - one.day || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id)

async function assertListed(wars: Iterable<ToldWar>, question: Asked): Promise<void> {
  const query = Object.entries(question).map(([key, value]) =>
    value === undefined ? '' : `${key}=${value}&`,
  )
  const { data, pagination } = await chancery.read<{ data: { id: string }[]; pagination: { total: number } }>(
    `/wars?${query.join('')}limit=100`,
  )
  const expected = select(wars, question)
  assert.deepEqual(
    data.map(({ id }) => id),
    expected,
  )
  assert.equal(pagination.total, expected.length)
}

test('wars of any alliances and status are listed and counted, each once, whatever became of them', async () => {
  const told = new Map<string, ToldWar>()
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(war, { selector: ({ id }) => id, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 2 }),
      fc.array(asked, { minLength: 4, maxLength: 4 }),
      async (wars, numbers, questions) => {
        const gone = numbers
          .map(number => `w${number}`)
          .filter(id => told.has(id) && !wars.some(({ id: put }) => put === id))
        for (const one of wars) told.set(one.id, one)
        for (const id of gone) told.delete(id)
        const facts = [...wars.map(factOf), ...[...new Set(gone)].map(id => remove('war', id))]
        if (facts.length > 0) await chancery.ingest(facts, { waits: false })
        for (const question of questions) await assertListed(told.values(), question)
      },
    ),
    { numRuns: randomRuns(60), endOnFailure: true },
  )
  // With an era that the world begins anew with, every war has ended.
  await chancery.ingest([{ op: 'reset', ended: { id: 'first', name: 'First' } }])
  for (const one of told.values()) one.status = 'ended'
  for (const status of ['active', 'ended', undefined])
    for (const alliance_id of [undefined, ['a1'], ['a1', 'a2', 'a3']])
      await assertListed(told.values(), { status, alliance_id })
})
