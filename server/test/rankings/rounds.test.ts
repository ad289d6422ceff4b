import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseAfter, runRankingRound } from '../../src/rankings/round.ts'
import { alliance, member, nation, put, remove } from '../ingest/facts.ts'
import { withoutRounds } from '../support/database-url.ts'
import { useIngestPool, useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { until } from '../support/until.ts'

interface Place {
  rank: number
  previous_rank: number | null
  national_score: number
  nation: { id: string; nation_name: string; alliance: unknown }
}
interface Page<T> {
  data: T[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

const chancery = useTestServer()
const pool = useIngestPool(chancery)

const scored = (scores: Record<string, number>): Fact[] =>
  Object.entries(scores).map(([id, national_score]) => nation(id, { national_score }))
const placesOf = async () =>
  (await chancery.read<Page<Place>>('/rankings?limit=100')).data.map(
    ({ rank, previous_rank, nation: { id } }) => [id, rank, previous_rank] as const,
  )

test('the pause between rounds is nineteen times their work, from one second to ten', () => {
  assert.deepEqual(
    [1, 50, 100, 500, 1_000, 15_000].map(pauseAfter),
    [1_000, 1_000, 1_900, 9_500, 10_000, 10_000],
  )
})

test('equal scores share a rank, are ordered by id, and the next rank counts them all', async () => {
  await chancery.ingest(scored({ d: 5, b: 7, a: 5, c: 5, e: 1 }))
  assert.deepEqual(await placesOf(), [
    ['b', 1, null],
    ['a', 2, null],
    ['c', 2, null],
    ['d', 2, null],
    ['e', 5, null],
  ])
  for (const [id, rank] of await placesOf()) {
    const { data } = await chancery.read<{ data: { rank: number } }>(`/nations/${id}`)
    assert.equal(data.rank, rank)
  }
  const { data } = await chancery.read<Page<{ id: string }>>('/nations')
  assert.deepEqual(
    data.map(({ id }) => id),
    ['b', 'a', 'c', 'd', 'e'],
  )
})

test('previous_rank is the rank when yesterday ended, and null for a new nation', async () => {
  await chancery.ingest([...scored({ e: 9, f: 8 })])
  assert.deepEqual((await placesOf()).slice(0, 3), [
    ['e', 1, null],
    ['f', 2, null],
    ['b', 3, null],
  ])
  // The current round becomes yesterday's.
  await chancery.query('update chancery_world.ranking_round set day = current_date - 1')
  await chancery.ingest([...scored({ b: 10, g: 3 }), remove('nation', 'd')])
  const expected = [
    ['b', 1, 3],
    ['e', 2, 1],
    ['f', 3, 2],
    ['a', 4, 4],
    ['c', 4, 4],
    ['g', 6, null],
  ]
  assert.deepEqual(await placesOf(), expected)
  // A later round of the same day keeps yesterday's ranks.
  await chancery.ingest(scored({ g: 4 }))
  assert.deepEqual(await placesOf(), expected)
})

test('alliances are ranked by total score, those without members too', async () => {
  const members = [member('b', 'q'), member('e', 'p'), member('f', 'p')]
  await chancery.ingest([...['p', 'q', 'r'].map(id => alliance(id)), ...members])
  const { data } =
    await chancery.read<
      Page<{ rank: number; total_score: number; member_count: number; alliance: { id: string } }>
    >('/rankings?board=alliances')
  assert.deepEqual(
    data.map(({ rank, alliance: { id }, total_score, member_count }) => [
      id,
      rank,
      total_score,
      member_count,
    ]),
    [
      ['p', 1, 17, 2],
      ['q', 2, 10, 1],
      ['r', 3, 0, 0],
    ],
  )
})

test('pages of every size fit together to the whole ranking', async () => {
  await chancery.ingest(
    Array.from({ length: 230 }, (_, index) =>
      nation(`m${index}`, { national_score: ((index * 37) % 50) / 10 }),
    ),
  )
  for (const board of ['nations', 'alliances']) {
    for (const limit of [1, 7, 100]) {
      const first = await chancery.read<Page<{ rank: number }>>(`/rankings?board=${board}&limit=${limit}`)
      const { total, pages } = first.pagination
      assert.equal(pages, Math.ceil(total / limit))
      const items: unknown[] = []
      for (let page = 1; page <= pages; page += 1) {
        const { data } = await chancery.read<Page<unknown>>(
          `/rankings?board=${board}&limit=${limit}&page=${page}`,
        )
        items.push(...data)
      }
      assert.equal(items.length, total)
      assert.equal(new Set(items.map(item => JSON.stringify(item))).size, total)
      const beyond = await chancery.read<Page<unknown>>(
        `/rankings?board=${board}&limit=${limit}&page=${pages + 1}`,
      )
      assert.deepEqual(beyond, { data: [], pagination: { page: pages + 1, limit, total, pages } })
    }
  }
})

test('a round runs only when something changed', async () => {
  await chancery.ingest([nation('changed')])
  assert.equal(await runRankingRound(pool), undefined)
  await chancery.query('update chancery_world.pulse set world_version = world_version + 1')
  const rounds = await Promise.all([runRankingRound(pool), runRankingRound(pool)])
  assert.ok(rounds.filter(round => round).length <= 1, 'the same change is ranked twice')
  assert.equal(await runRankingRound(pool), undefined)
})

test('the ranking index of a large world is read without its table', async () => {
  // A round of the service may come first, and another transaction may see older rows.
  await until(async () => {
    await chancery.query('update chancery_world.pulse set world_version = world_version + 1')
    if (!(await runRankingRound(pool, { vacuumedFrom: 1 }))) return false
    const [table] = await chancery.query<{ visible: number; pages: number }>(
      `select relallvisible as visible, relpages as pages from pg_class where oid = 'chancery_world.nation_ranking'::regclass`,
    )
    return table !== undefined && table.pages > 0 && table.visible === table.pages
  }, 'all rows are known to be visible')
})

test('a deleted nation leaves the ranking with the next round', async () => {
  await chancery.ingest([nation('leaving', { national_score: 1_000 })])
  assert.equal((await placesOf())[0]?.[0], 'leaving')
  await chancery.ingest([remove('nation', 'leaving')])
  assert.equal((await placesOf())[0]?.[0], 'b')
  assert.ok(!(await placesOf()).some(([id]) => id === 'leaving'))
})

test('a nation newer than the round is not in its ranking and last in the list, also if the last of the round is deleted', async () => {
  const { pagination } = await chancery.read<Page<Place>>('/rankings')
  const last = await chancery.read<Page<Place>>(`/rankings?limit=1&page=${pagination.total}`)
  await withoutRounds(chancery, async () => {
    await chancery.ingest([remove('nation', `${last.data[0]?.nation.id}`)], { waits: false })
    await chancery.ingest([nation('young', { national_score: 1_000 })], { waits: false })
    const { data } = await chancery.read<Page<Place>>(
      `/rankings?limit=2&page=${Math.ceil(pagination.total / 2)}`,
    )
    assert.ok(data.every(({ rank, nation: { id } }) => rank > 0 && id !== 'young'))
    const listed = await chancery.read<Page<{ id: string }>>(`/nations?limit=1&page=${pagination.total}`)
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      ['young'],
    )
  })
  await chancery.ingest([nation('young', { national_score: 2_000 })])
  assert.equal((await placesOf())[0]?.[0], 'young')
  await chancery.ingest([remove('nation', 'young')])
})

test('the name of a nation changes in the ranking at once, its place with the round', async () => {
  await chancery.ingest([put('nation', { id: 'b', nation_name: 'Renamed' })], { waits: false })
  const { data } = await chancery.read<Page<Place>>('/rankings?limit=1')
  assert.equal(data[0]?.nation.nation_name, 'Renamed')
})
