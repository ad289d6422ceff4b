import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningServer, readConfig, startServer } from '../../src/index.ts'
import { runRankingRound } from '../../src/rankings/round.ts'
import { createPool, type DatabasePool } from '../../src/store/database.ts'
import { alliance, member, nation } from '../ingest/facts.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const nations = 60

let chancery: TestServer
let other: RunningServer
let dataDir: string
let pool: DatabasePool
before(async () => {
  chancery = await startTestServer()
  dataDir = await mkdtemp(join(tmpdir(), 'chancery-second-'))
  other = await startServer(
    readConfig({
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: chancery.operatorToken,
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: chancery.databaseUrl,
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_LOG_LEVEL: 'silent',
    }),
  )
  pool = createPool({
    target: { connectionString: chancery.databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
})
after(async () => {
  await pool.close()
  await other.close()
  await chancery.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** In each generation everybody has the same score: a page that shows two scores shows two rounds. */
const generation = (score: number) => [
  alliance('a'),
  ...Array.from({ length: nations }, (_, index) => nation(`n${index}`, { national_score: score })),
  ...Array.from({ length: nations }, (_, index) => member(`n${index}`, 'a')),
]

interface Answer {
  data: { rank: number; previous_rank: number | null; national_score: number }[]
  pagination: { total: number }
}

test('while rounds come and go over two servers, every page is of one round, and none is an error', async () => {
  await chancery.tell(generation(1))
  let isOver = false
  let read = 0
  const rounds = { run: 0, seen: new Set<number>() }

  async function reader(url: string, turn: number): Promise<void> {
    for (let page = turn; !isOver; page = (page + 1) % 6) {
      const response = await fetch(`${url}/api/v1/rankings?limit=10&page=${page + 1}`)
      assert.equal(response.status, 200)
      const { data, pagination } = (await response.json()) as Answer
      assert.equal(pagination.total, nations)
      assert.equal(data.length, 10)
      const scores = new Set(data.map(({ national_score }) => national_score))
      assert.equal(scores.size, 1, `two rounds on one page: ${[...scores]}`)
      assert.ok(data.every(({ rank }) => rank === 1))
      rounds.seen.add(data[0]?.national_score ?? 0)
      read += 1
    }
  }
  async function runner(): Promise<void> {
    while (!isOver) {
      // The servers run rounds of their own meanwhile; whoever comes second has nothing to do.
      if (await runRankingRound(pool).catch(isLockTimeout)) rounds.run += 1
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  const readers = [
    ...[0, 2, 4].map(turn => reader(chancery.url, turn)),
    ...[1, 3].map(turn => reader(other.publicUrl, turn)),
    runner(),
  ]
  const all = Promise.all(readers)
  async function writer(): Promise<void> {
    for (let score = 2; score <= 40; score += 1) await chancery.tell(generation(score), { waits: false })
  }
  await Promise.race([all, writer()])
  isOver = true
  await all
  assert.ok(rounds.run > 5 && rounds.seen.size > 5 && read > 100, JSON.stringify({ ...rounds, read }))
})

test('two servers on one database show the same rounds', async () => {
  await chancery.tell([nation('n0', { national_score: 99 })])
  const path = '/api/v1/rankings?limit=3'
  let here: string
  let there: string
  do {
    ;[here, there] = (await Promise.all(
      [chancery.url, other.publicUrl].map(async url => (await fetch(url + path)).text()),
    )) as [string, string]
  } while (!there.includes('"national_score":99'))
  assert.equal(there, here)
  assert.deepEqual(
    (JSON.parse(here) as Answer).data.map(({ rank, national_score }) => [rank, national_score]),
    [
      [1, 99],
      [2, 40],
      [2, 40],
    ],
  )
})

function isLockTimeout(error: unknown): boolean {
  // A round gives way to readers rather than make them wait: it comes again.
  assert.equal((error as { code?: string }).code, '55P03', String(error))
  return false
}
