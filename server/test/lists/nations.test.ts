import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { member, nation, put, remove } from '../ingest/facts.ts'
import { withoutRounds } from '../support/database-url.ts'
import { useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

const alliances = ['a1', 'a2']
const chancery = useTestServer({}, { facts: alliances.map(id => put('alliance', { id, name: id })) })

interface ModelNation {
  id: string
  nation_name: string
  leader_name: string
  national_score: number
  status: string
  alliance: string | null
}

/** Filters of /nations. */
interface NationFilter {
  search?: string
  ids?: string[]
  alliance_id?: string[]
  status?: string
  min_score?: number
  max_score?: number
}

/** The nations that the tests have sent. */
const sent = new Map<string, ModelNation>()

interface ModelFact {
  op: string
  resource: string
  id?: string
  data?: Partial<ModelNation> & { nation_id?: string; alliance_id?: string }
}

/** Ingests facts about nations and memberships, and applies them to the model. */
async function ingest(facts: Fact[], { waits = false } = {}): Promise<void> {
  for (const { op, resource, id, data } of facts as unknown as ModelFact[]) {
    const key = id ?? data?.nation_id ?? data?.id ?? ''
    const known = sent.get(key)
    if (resource === 'alliance_member') {
      if (known) known.alliance = data?.alliance_id ?? null
    } else if (op === 'delete') sent.delete(key)
    else {
      const added = { id: key, nation_name: '', leader_name: '', national_score: 0, status: 'active' }
      sent.set(key, { ...added, alliance: null, ...known, ...data })
    }
  }
  for (let at = 0; at < facts.length; at += 1_000)
    await chancery.ingest(facts.slice(at, at + 1_000), { waits })
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/** The ids that a filter selects, ordered by position; without positions as the next ranking round orders them. */
function select(filter: NationFilter, positions?: ReadonlyMap<string, number>): string[] {
  const { search, ids, alliance_id, status, min_score = -Infinity, max_score = Infinity } = filter
  const text = folded(search ?? '')
  const tierOf = ({ nation_name }: ModelNation) => {
    if (search === undefined || folded(nation_name) === text) return 0
    return folded(nation_name).startsWith(text) ? 1 : 2
  }
  const positionOf = ({ id }: ModelNation) => positions?.get(id) ?? 0
  return [...sent.values()]
    .filter(
      nation =>
        [nation.nation_name, nation.leader_name].some(name => folded(name).includes(text)) &&
        (ids?.includes(nation.id) ?? true) &&
        (alliance_id?.includes(nation.alliance ?? '') ?? true) &&
        (status ?? nation.status) === nation.status &&
        nation.national_score >= min_score &&
        nation.national_score <= max_score,
    )
    .sort(
      (one, other) =>
        tierOf(one) - tierOf(other) ||
        positionOf(one) - positionOf(other) ||
        other.national_score - one.national_score ||
        (one.id < other.id ? -1 : 1),
    )
    .map(({ id }) => id)
}

async function readPage(filter: NationFilter, limit: number, page: number) {
  const query = Object.entries(filter).map(([key, value]) => `${key}=${encodeURIComponent(`${value}`)}&`)
  const { data, pagination } = await chancery.read<{ data: { id: string }[]; pagination: { total: number } }>(
    `/nations?${query.join('')}limit=${limit}&page=${page}`,
  )
  return { ids: data.map(({ id }) => id), total: pagination.total }
}

async function readAll(filter: NationFilter, limit: number) {
  const ids: string[] = []
  const totals = new Set<number>()
  for (let page = 1; ; page += 1) {
    const found = await readPage(filter, limit, page)
    totals.add(found.total)
    ids.push(...found.ids)
    if (found.ids.length === 0) return { ids, totals: [...totals] }
  }
}

/** A put of a nation, or sometimes its deletion. */
function factAbout(id: fc.Arbitrary<string>, more: Record<string, fc.Arbitrary<unknown>>) {
  const data = fc.record({ id, ...more }, { requiredKeys: ['id', 'nation_name'] as never })
  return fc.oneof(
    { arbitrary: data.map((given): Fact => put('nation', given as Record<string, unknown>)), weight: 6 },
    { arbitrary: id.map((key): Fact => remove('nation', key)), weight: 1 },
  )
}

test('the pages of a filtered list together are what the filter selects, in order, also before the next ranking round', async () => {
  const id = fc.constantFrom(...Array.from({ length: 24 }, (_, number) => `n${number}`))
  // Few letters, so that texts match: one folds to others, one has two UTF-16 units, some are special in LIKE.
  const text = fc.array(fc.constantFrom('a', 'b', 'AB', 'É', 'ﬁ', '🜂', '%', '_', '\\', ' '), {
    minLength: 1,
    maxLength: 4,
  })
  const name = text.map(parts => `x${parts.join('')}`)
  const score = fc.constantFrom(-1e15, -2.5, -2, 0, 2, 1e15)
  const status = fc.constantFrom('active', 'protected', 'vacation', 'inactive')
  const fact = factAbout(id, { nation_name: name, leader_name: name, national_score: score, status })
  const membership = fc.tuple(id, fc.option(fc.constantFrom(...alliances)))
  const every = fc.record({
    search: fc.oneof(
      fc.constantFrom('x', 'a', 'b', 'xa', 'ab'),
      name,
      text.map(parts => parts.join('').trim() || 'x'),
    ),
    ids: fc.array(id, { minLength: 1, maxLength: 16 }),
    alliance_id: fc.array(fc.constantFrom(...alliances), { minLength: 1, maxLength: 2 }),
    status,
    min_score: score,
    max_score: score,
  })
  const keys = ['search', 'ids', 'alliance_id', 'status', 'min_score', 'max_score'] as const
  // One filter or two: more select nothing in most cases.
  const filter: fc.Arbitrary<NationFilter> = fc
    .tuple(every, fc.subarray([...keys], { minLength: 1, maxLength: 2 }))
    .map(([values, taken]) => Object.fromEntries(taken.map(key => [key, values[key]])))
  const filterAndLimit = fc.tuple(filter, fc.integer({ min: 1, max: 7 }))

  await withoutRounds(chancery, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fact, { minLength: 1, maxLength: 16 }),
        fc.array(membership, { maxLength: 6 }),
        fc.array(filterAndLimit, { minLength: 4, maxLength: 4 }),
        async (facts, memberships, filters) => {
          await ingest(facts)
          const members = memberships
            .filter(([key]) => sent.has(key))
            .map(([key, alliance]) =>
              alliance === null ? remove('alliance_member', key) : member(key, alliance),
            )
          if (members.length > 0) await ingest(members)
          for (const [filter, limit] of filters) {
            const expected = select(filter)
            const { ids, totals } = await readAll(filter, limit)
            assert.deepEqual(ids.toSorted(), expected.toSorted())
            assert.deepEqual(totals, [expected.length])
          }
        },
      ),
      { numRuns: randomRuns(80), endOnFailure: true },
    ),
  )
  await chancery.ingest([put('alliance', { id: 'a3', name: 'a3' })])
  for (const [filter, limit] of fc.sample(filterAndLimit, 80))
    assert.deepEqual((await readAll(filter, limit)).ids, select(filter), JSON.stringify(filter))
})

/** More than are sorted at once, so that matches are counted by blocks of positions. */
const ids = Array.from({ length: 6_000 }, (_, number) => `n${number}`)

function nameOf(number: number): string {
  if (number % 40 === 0) return 'Up'
  if (number % 41 === 0) return 'Land'
  return number % 7 === 0 ? `Land ${number}` : `${number % 2 ? 'Øst' : 'Up'}land`
}

test('every page of a search in a large world is that of a scan of all names, before and after ranking rounds', async () => {
  // Nearly all are lands. Some letters are in half of the names, some in a few, and short names have all scores.
  await ingest(
    ids.map((id, number) =>
      nation(id, {
        nation_name: nameOf(number),
        leader_name: number % 900 === 0 ? 'Qi' : `Leader ${number % 11}`,
        national_score: ((number * 7_919) % 1_009) - 500,
      }),
    ),
  )
  await ingest(
    ids.filter((_, number) => number % 3 === 0).map((id, number) => member(id, `${alliances[number % 2]}`)),
  )
  const score = fc.integer({ min: -600, max: 600 })
  const name = fc.constantFrom('Up', 'up', 'Qu', 'La', 'land', 'Landland', 'Øst', 'Xi_%', 'Q')
  const fact = factAbout(fc.constantFrom(...ids, 'new1', 'new2', 'new3'), {
    nation_name: name,
    leader_name: name,
    national_score: score,
  })
  const search = fc.record({
    filter: fc.record(
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
    // How far into the list the page is, from the first to one past the last.
    percent: fc.integer({ min: 0, max: 105 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fact, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 3 }),
      fc.array(search, { minLength: 16, maxLength: 16 }),
      async (facts, waits, searches) => {
        await ingest(facts, { waits: waits === 0 })
        await withoutRounds(chancery, async client => {
          const { rows } = await client.query<{ nation_id: string; position: number }>(
            'select nation_id, position::int from chancery_world.nation_ranking',
          )
          const positions = new Map(rows.map(({ nation_id, position }) => [nation_id, position]))
          for (const { filter, limit, percent } of searches) {
            const all = select(filter, positions)
            const page = 1 + Math.floor((all.length / limit) * (percent / 100))
            const expected = { ids: all.slice((page - 1) * limit, page * limit), total: all.length }
            assert.deepEqual(await readPage(filter, limit, page), expected)
          }
        })
      },
    ),
    { numRuns: randomRuns(20), endOnFailure: true },
  )
})

test('PostgreSQL knows from each ranking round how many blocks of positions there are, and counts them in parallel', async () => {
  for (const nation_name of ['Moved', 'Moved again'])
    await chancery.ingest([put('nation', { id: 'n1', nation_name })])
  const [explained] = await chancery.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    'explain (format json) select position / 512, count(*) from chancery_world.nation_ranking group by 1',
  )
  const blocks = explained?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? Number.NaN
  assert.ok(blocks < 20, `${blocks} blocks are expected`)
})
