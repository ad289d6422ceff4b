import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { runRankingRound } from '../../src/rankings/round.ts'
import { createPool, type DatabasePool } from '../../src/store/database.ts'
import { ingestLock } from '../../src/store/locks.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let pool: DatabasePool
let client: pg.Client
before(async () => {
  database = await createTestDatabase()
  pool = createPool({
    target: { connectionString: database.url },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client.end()
  await pool.close()
  await database.drop()
})

const found = (id: string, score: number) =>
  client.query(
    `insert into chancery_world.nation (id, nation_name, leader_name, national_score, status, updated_at, search_text)
     values ($1, $1, '', $2, 'active', now(), $1)`,
    [id, score],
  )
const nextVersion = 'update chancery_world.pulse set world_version = world_version + 1'

/** Waits until the round waits for the batch that holds the lock: its fresh tables are filled. */
async function untilFilled(): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "select from pg_locks where locktype = 'advisory' and not granted and objid = $1",
      [ingestLock],
    )
    if (rows.length > 0) return
  }
}

test('what a batch changes while a round fills its tables is in the lists when the round is over', async () => {
  for (const [id, score] of [
    ['gone', 9],
    ['here', 7],
    ['other', 5],
  ] as const)
    await found(id, score)
  await client.query(nextVersion)
  await client.query('select pg_advisory_lock($1)', [ingestLock])
  const round = runRankingRound(pool)
  await untilFilled()
  await client.query("delete from chancery_world.nation where id = 'gone'")
  await client.query(
    "update chancery_world.nation set status = 'vacation', national_score = 1, search_text = 'new' where id = 'here'",
  )
  await found('young', 100)
  await client.query(nextVersion)
  await client.query('select pg_advisory_unlock($1)', [ingestLock])
  assert.equal(await round, true)

  const { rows } = await client.query(
    'select position::int, nation_id, rank::int, status, score_now::float, search_text from chancery_world.nation_place order by position',
  )
  assert.deepEqual(rows, [
    { position: 2, nation_id: 'here', rank: 2, status: 'vacation', score_now: 1, search_text: 'new' },
    { position: 3, nation_id: 'other', rank: 3, status: 'active', score_now: 5, search_text: 'other' },
    { position: 4, nation_id: 'young', rank: null, status: 'active', score_now: 100, search_text: 'young' },
  ])
  const { rows: counted } = await client.query('select nations::int from chancery_world.ranking_round')
  assert.deepEqual(counted, [{ nations: 3 }])
  assert.equal(await runRankingRound(pool), true)
  const { rows: ranked } = await client.query(
    'select nation_id from chancery_world.nation_place order by position',
  )
  assert.deepEqual(
    ranked.map(row => row.nation_id),
    ['young', 'other', 'here'],
  )
})

test('a row that an earlier version wrote is filled by the next round, though nothing has changed', async () => {
  assert.equal(await runRankingRound(pool), false)
  await client.query('update chancery_world.nation_place set status = null, search_text = null')
  assert.equal(await runRankingRound(pool), true)
  const { rows } = await client.query(
    'select count(*)::int from chancery_world.nation_place where status is null',
  )
  assert.deepEqual(rows, [{ count: 0 }])
})
