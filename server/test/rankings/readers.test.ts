import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runRankingRound } from '../../src/rankings/round.ts'
import { alliance, member, nation } from '../ingest/facts.ts'
import { useFixture, useIngestPool, useTestServer } from '../support/fixture.ts'
import { startTestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'

const nations = 60

const chancery = useTestServer()
const other = useFixture(() => startTestServer({}, { databaseUrl: chancery.databaseUrl }))
const pool = useIngestPool(chancery)

/** In each generation all have the same score: a page with two scores mixes two rounds. */
const generation = (score: number) => [
  alliance('a'),
  ...Array.from({ length: nations }, (_, index) => nation(`n${index}`, { national_score: score })),
  ...Array.from({ length: nations }, (_, index) => member(`n${index}`, 'a')),
]

interface RankingPage {
  data: { rank: number; previous_rank: number | null; national_score: number }[]
  pagination: { total: number }
}

/** The score of the last generation. */
let last = 1

test('while two servers run rounds, every page is of one round, and none is an error', async () => {
  await chancery.ingest(generation(1))
  let isOver = false
  let read = 0
  const seen = new Set<number>()

  async function reader(url: string, turn: number): Promise<void> {
    for (let page = turn; !isOver; page = (page + 1) % 6) {
      const response = await fetch(`${url}/api/v1/rankings?limit=10&page=${page + 1}`)
      assert.equal(response.status, 200)
      const { data, pagination } = (await response.json()) as RankingPage
      assert.equal(pagination.total, nations)
      assert.equal(data.length, 10)
      const scores = new Set(data.map(({ national_score }) => national_score))
      assert.equal(scores.size, 1, `two rounds on one page: ${[...scores]}`)
      assert.ok(data.every(({ rank }) => rank === 1))
      seen.add(data[0]?.national_score ?? 0)
      read += 1
    }
  }
  async function runner(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      // The servers run rounds of their own, which update the tables; the second of two has nothing to do.
      await runRankingRound(pool, { updatedBelow: turn % 2 === 0 ? 0 : 1_000 }).catch(expectLockTimeout)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  const readers = [
    ...[0, 2, 4].map(turn => reader(chancery.url, turn)),
    ...[1, 3].map(turn => reader(other.url, turn)),
    runner(),
  ]
  const all = Promise.all(readers)
  const [roundsMin, readMin] = tier === 'quick' ? [6, 60] : [30, 500]
  let score = 1
  async function writer(): Promise<void> {
    while (seen.size < roundsMin || read < readMin) {
      score += 1
      await chancery.ingest(generation(score), { waits: false })
    }
  }
  try {
    await Promise.race([all, writer()])
  } finally {
    isOver = true
  }
  await all
  last = score
})

test('two servers on one database show the same rounds', async () => {
  const first = last + 1
  await chancery.ingest([nation('n0', { national_score: first })])
  const path = '/api/v1/rankings?limit=3'
  let here: string
  let there: string
  do {
    ;[here, there] = (await Promise.all(
      [chancery.url, other.url].map(async url => (await fetch(url + path)).text()),
    )) as [string, string]
  } while (!there.includes(`"national_score":${first}`) || !here.includes(`"national_score":${first}`))
  assert.equal(there, here)
  assert.deepEqual(
    (JSON.parse(here) as RankingPage).data.map(({ rank, national_score }) => [rank, national_score]),
    [
      [1, first],
      [2, last],
      [2, last],
    ],
  )
})

/** A round fails rather than make readers wait; it is retried. */
function expectLockTimeout(error: unknown): void {
  assert.equal((error as { code?: string }).code, '55P03', String(error))
}
