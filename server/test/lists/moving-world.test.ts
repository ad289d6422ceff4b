import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import fc from 'fast-check'
import { runRankingRound } from '../../src/rankings/round.ts'
import { listAllMembers } from '../../src/resources/members/store.ts'
import { listNations } from '../../src/resources/nations/list-by-rank.ts'
import { createListWars } from '../../src/resources/wars/store.ts'
import { databaseOver } from '../../src/store/database.ts'
import type { ReadContext } from '../../src/store/fact-columns.ts'
import type { Page, PageRequest } from '../../src/store/paging.ts'
import { alliance, member, nation, put, remove, war } from '../ingest/facts.ts'
import { useClient, useIngestPool, useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { randomRuns, whileBegunWithin } from '../support/tier.ts'

const chancery = useTestServer()
const rounds = useIngestPool(chancery)
const client = useClient(chancery)

const numbers = (count: number) => fc.integer({ min: 1, max: count })
// Few scores, so that nations share them, and scores between two others.
const score = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(-1e15, 1e15),
  fc.integer({ min: -50_000, max: 50_000 }).map(parts => parts / 10_000),
)
const status = fc.constantFrom('active', 'protected', 'vacation', 'inactive')
const lives = fc.uniqueArray(
  fc.record({
    id: numbers(20),
    score,
    status,
    alliance: fc.option(numbers(3)),
    name: fc.constantFrom('Nation', 'Ostland', 'ostland', 'Öst'),
    founded: fc.option(numbers(3)),
    cities: fc.option(numbers(3)),
    isRenamed: fc.boolean(),
  }),
  { selector: ({ id }) => id, minLength: 2, maxLength: 8 },
)
const wars = fc.uniqueArray(
  fc.record({
    id: numbers(16),
    status: fc.constantFrom('active', 'ended'),
    sides: fc.tuple(fc.nat(), fc.nat()),
  }),
  { selector: ({ id }) => id, maxLength: 4 },
)
const batch = fc.record({
  lives,
  wars,
  gone: fc.uniqueArray(numbers(20), { maxLength: 4 }),
  goneWars: fc.uniqueArray(numbers(16), { maxLength: 2 }),
  isReset: fc.nat({ max: 19 }).map(number => number === 0),
})
type Drawn = typeof batch extends fc.Arbitrary<infer B> ? B : never

/** Ids that a reset has retired are never used again: each era has its own. */
let era = 1
const named = (letter: string, number: number) => `e${era}${letter}${number}`

function factsOf({ lives, wars, gone, goneWars, isReset }: Drawn): Fact[] {
  if (isReset) {
    era += 1
    return [{ op: 'reset', ended: { id: `${era - 1}`, name: 'Past' }, next: { id: `${era}`, name: 'Next' } }]
  }
  const sent = new Set(lives.map(({ id }) => id))
  const sentWars = new Set(wars.map(({ id }) => id))
  const n = (choice: number) => named('n', lives[choice % lives.length]?.id ?? 0)
  return [
    ...[1, 2, 3].map(number => alliance(named('a', number))),
    ...lives.flatMap(({ id, score: national_score, status, alliance, name, founded, cities, isRenamed }) => [
      nation(named('n', id), {
        national_score,
        status,
        nation_name: name === 'Nation' ? `Nation ${named('n', id)}` : name,
        founded_at: founded === null ? null : `2026-05-0${founded}T00:00:00Z`,
        city_count: cities,
        attributes: { prestige: cities },
      }),
      alliance === null
        ? remove('alliance_member', named('n', id))
        : member(named('n', id), named('a', alliance)),
      ...(isRenamed
        ? [{ op: 'redact', resource: 'nation', id: named('n', id), data: { nation_name: `Gone ${id}` } }]
        : []),
    ]),
    ...gone.filter(id => !sent.has(id)).map(id => remove('nation', named('n', id))),
    ...wars
      .filter(({ sides: [one, other] }) => n(one) !== n(other))
      .map(({ id, status, sides: [one, other] }) =>
        war(named('w', id), n(one), n(other), { status, declared_at: new Date().toISOString() }),
      ),
    ...goneWars.filter(id => !sentWars.has(id)).map(id => remove('war', named('w', id))),
    put('news_item', { id: 'x', title: 'Moving', published_at: '2026-05-03T00:00:00Z' }),
  ]
}

const bound = fc.option(fc.oneof(score, fc.constant(Number.MAX_SAFE_INTEGER)), { nil: undefined })
const listFilters = fc.record({
  // 0: no alliance.
  alliances: fc.option(fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3 }), { nil: undefined }),
  sort: fc.constantFrom('score', 'founded', 'cities', 'name'),
  prestige: fc.option(fc.tuple(fc.option(numbers(3)), fc.option(numbers(3))), { nil: undefined }),
  ids: fc.option(fc.uniqueArray(numbers(20), { maxLength: 9 }), { nil: undefined, freq: 3 }),
  status: fc.option(status, { nil: undefined }),
  min_score: bound,
  max_score: bound,
  search: fc.option(fc.constantFrom('n', 'nation e', 'gone', '1', '%'), { nil: undefined, freq: 4 }),
  warStatus: fc.option(fc.constantFrom('active', 'ended'), { nil: undefined }),
  limit: fc.constantFrom(1, 2, 3, 7, 100),
})
// One filter alone is counted in a way of its own.
const filterNames = ['alliances', 'prestige', 'ids', 'status', 'min_score', 'max_score', 'search'] as const
const listRequest = fc
  .tuple(listFilters, fc.option(fc.constantFrom(...filterNames), { nil: undefined, freq: 2 }))
  .map(([filters, only]) => ({
    ...filters,
    ...(only && Object.fromEntries(filterNames.flatMap(name => (name === only ? [] : [[name, undefined]])))),
  }))
type ListRequest = typeof listRequest extends fc.Arbitrary<infer R> ? R : never

/** All pages of a list until one is empty, and their totals; a page far past the end has the same. */
async function readAll(
  limit: number,
  read: (request: PageRequest) => Promise<Page<{ id: string } | { nation_id: string }>>,
) {
  const ids: string[] = []
  const totals = new Set<number>()
  for (let page = 1; ; page += 1) {
    const { items, total } = await read({ page, limit })
    totals.add(total)
    ids.push(...items.map(item => ('id' in item ? item.id : item.nation_id)))
    if (items.length > 0) continue
    totals.add((await read({ page: Number.MAX_SAFE_INTEGER, limit })).total)
    return { ids, totals: [...totals] }
  }
}

const contract = contractFor(demoProfile)

/** The order of nations `n` that each sort promises. Of names, the database folds the case as the service does. */
const orders: Record<ListRequest['sort'], string> = {
  score: 'p.position',
  founded: 'n.founded_at desc nulls last, n.id',
  cities: 'n.city_count desc nulls last, n.id',
  name: `lower(n.nation_name collate "und-x-icu") collate "C", n.id`,
}

/** Compares lists with plain queries in one snapshot. */
async function assertListed({
  alliances,
  warStatus,
  limit,
  sort,
  prestige,
  ids: drawn,
  ...filter
}: ListRequest): Promise<void> {
  const alliance_id = alliances?.map(number => (number === 0 ? 'none' : named('a', number)))
  const ids = drawn?.map(number => named('n', number))
  const { status, min_score, max_score, search } = filter
  const idsOf = async (text: string, values: unknown[]) =>
    (await client.query<{ id: string }>(text, values)).rows.map(({ id }) => id)
  const db = databaseOver(client, { namesStatements: false })
  const context = { pools: { public: db, search: db, lookups: db }, contract } as unknown as ReadContext
  await client.query('begin isolation level repeatable read')
  try {
    // A round that swaps tables after the snapshot would not be in it.
    await client.query(
      `lock table chancery_world.nation_ranking, chancery_world.alliance_ranking in access share mode`,
    )
    const expected = await idsOf(
      `select n.id from chancery_world.nation n left join chancery_world.nation_ranking p on p.nation_id = n.id
         left join chancery_world.alliance_member m on m.nation_id = n.id
       where ($1::text[] is null or coalesce(m.alliance_id, 'none') = any($1)) and ($6::text[] is null or n.id = any($6))
         and (not $7 or (n.attributes ->> 'prestige')::numeric between coalesce($8, -1e9) and coalesce($9, 1e9)) and ($2::text is null or n.status = $2)
         and ($3::numeric is null or n.national_score >= $3) and ($4::numeric is null or n.national_score <= $4)
         and ($5::text is null or strpos(lower(n.nation_name), $5) > 0) order by ${orders[sort]}`,
      [
        alliance_id,
        status,
        min_score,
        max_score,
        search,
        ids,
        prestige !== undefined,
        prestige?.[0],
        prestige?.[1],
      ],
    )
    const byPrestige = prestige && {
      attribute: 'prestige',
      min_attribute: prestige[0] ?? undefined,
      max_attribute: prestige[1] ?? undefined,
    }
    const nations = await readAll(limit, request =>
      listNations(context, { ...filter, ...byPrestige, alliance_id, ids, sort, ...request }),
    )
    // By score, a search lists names that begin with its text first.
    const inOrder = (found: string[]) => (search !== undefined && sort === 'score' ? found.toSorted() : found)
    assert.deepEqual(inOrder(nations.ids), inOrder(expected))
    assert.deepEqual(nations.totals, [expected.length])
    const expectedMembers = await idsOf(
      `select nation_id as id from chancery_world.alliance_member where $1::text[] is null or alliance_id = any($1)
       order by alliance_id, nation_id`,
      [alliance_id],
    )
    const members = await readAll(limit, request =>
      listAllMembers(context, { alliance_id, ids: undefined, ...request }),
    )
    assert.deepEqual(members, { ids: expectedMembers, totals: [expectedMembers.length] })
    const expectedWars = await idsOf(
      `select id from chancery_world.war where ($1::text is null or status = $1)
         and ($2::text[] is null or attacker_alliance_id = any($2) or defender_alliance_id = any($2)) order by declared_at desc, id`,
      [warStatus, alliance_id],
    )
    const listed = { status: warStatus, alliance_id }
    const listWars = createListWars(context)
    const found = await readAll(limit, request => listWars({ ...listed, ...request }))
    assert.deepEqual(found, { ids: expectedWars, totals: [expectedWars.length] })
  } finally {
    await client.query('rollback')
  }
}

/** Rounds of a second process beside the server's own. One that fails on a reader's lock is retried. */
async function runRounds(isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await runRankingRound(rounds, { updatedBelow: turn % 2 === 0 ? 0 : 1_000 }).catch(error =>
      assert.equal(error.code, '55P03'),
    )
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('at any moment lists of nations and wars contain what plain queries find, during batches, resets, redactions and the rounds of two processes', async () => {
  const mayBegin = whileBegunWithin(5_000)
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 4, maxLength: 8 }),
      fc.array(listRequest, { minLength: 8, maxLength: 8 }),
      async (batches, requests) => {
        if (!mayBegin()) return
        let isOver = false
        const sending = (async () => {
          for (const drawn of batches) await chancery.ingest(factsOf(drawn), { waits: false })
        })().finally(() => {
          isOver = true
        })
        const moving = Promise.all([sending, runRounds(() => isOver)])
        try {
          for (let count = 0; !isOver || count < requests.length; count += 1)
            await assertListed(requests[count % requests.length] as ListRequest)
        } finally {
          await moving
        }
      },
    ),
    { numRuns: randomRuns(12), endOnFailure: true },
  )
})
