import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { runRankingRound } from '../../src/rankings/round.ts'
import { createPool, type DatabasePool } from '../../src/store/database.ts'
import { ingestLock, roundLock } from '../../src/store/locks.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'

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
/** As a batch notes it. */
const noteChanged = (ids: string[]) =>
  client.query(
    'insert into chancery_secret.nation_changed select world_version + 1, unnest($1::text[]) from chancery_world.pulse',
    [ids],
  )
const nextVersion = 'update chancery_world.pulse set world_version = world_version + 1'

/** Waits until the round waits for the batch that holds the lock: its fresh tables are filled. */
async function untilFilled(): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.locktype = 'advisory' and not l.granted and l.objid = $1`,
      [ingestLock],
    )
    if (rows.length > 0) return
  }
}

test('changes by a batch while a round fills its tables are in the lists after the round', async () => {
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
  await client.query(
    "insert into chancery_world.alliance_member (nation_id, alliance_id, rank) values ('here', 'a1', 'member'), ('young', 'a1', 'member')",
  )
  await noteChanged(['gone', 'here', 'here', 'young'])
  await client.query(nextVersion)
  await client.query('select pg_advisory_unlock($1)', [ingestLock])
  assert.ok(await round)

  const { rows } = await client.query(
    'select position::int, nation_id, rank::int, status, score_now::float, search_text from chancery_world.nation_place order by position',
  )
  assert.deepEqual(rows, [
    { position: 2, nation_id: 'here', rank: 2, status: 'vacation', score_now: 1, search_text: 'new' },
    { position: 3, nation_id: 'other', rank: 3, status: 'active', score_now: 5, search_text: 'other' },
    { position: 4, nation_id: 'young', rank: null, status: 'active', score_now: 100, search_text: 'young' },
  ])
  // Whoever is not here is where the scores of the round have put it.
  const { rows: moved } = await client.query(
    'select position::int from chancery_world.nation_moved order by position',
  )
  assert.deepEqual(
    moved.map(row => row.position),
    [1, 2, 4],
  )
  const { rows: members } = await client.query(
    'select nation_id, alliance_id from chancery_world.nation_place order by position',
  )
  assert.deepEqual(members, [
    { nation_id: 'here', alliance_id: 'a1' },
    { nation_id: 'other', alliance_id: '' },
    { nation_id: 'young', alliance_id: 'a1' },
  ])
  const { rows: counted } = await client.query('select nations::int from chancery_world.ranking_round')
  assert.deepEqual(counted, [{ nations: 3 }])
  assert.ok(await runRankingRound(pool))
  const { rows: ranked } = await client.query(
    'select nation_id from chancery_world.nation_place order by position',
  )
  assert.deepEqual(
    ranked.map(row => row.nation_id),
    ['young', 'other', 'here'],
  )
})

test('processes share the pause after a round, and a clock that was set back does not prolong it', async () => {
  for (const [restsUntil, runs] of [
    ["now() + interval '9 seconds'", false],
    ["now() - interval '1 second'", true],
    ["now() + interval '1 hour'", true],
  ] as const) {
    await client.query(nextVersion)
    await client.query(`update chancery_world.ranking_round set rests_until = ${restsUntil}`)
    const round = await runRankingRound(pool, { isPaced: true })
    assert.equal(round?.workMs !== undefined, runs, restsUntil)
    const { restMs = Number.NaN } = round ?? {}
    assert.ok(restMs > 0 && restMs <= 10_000, `${restsUntil}: ${restMs}`)
  }
  const { rows } = await client.query(
    'select rests_until > clock_timestamp() as rests from chancery_world.ranking_round',
  )
  assert.deepEqual(rows, [{ rests: true }])
})

test('waiting for a batch does not count as work of a round', async () => {
  await client.query(nextVersion)
  await client.query('select pg_advisory_lock($1)', [ingestLock])
  const startedAt = performance.now()
  const round = runRankingRound(pool)
  await untilFilled()
  const waitsSince = performance.now()
  let waitedMs = 0
  // Far longer than all that came before, so that it cannot be taken for work.
  while (waitedMs < 3 * (waitsSince - startedAt)) {
    await untilFilled()
    waitedMs = performance.now() - waitsSince
  }
  await client.query('select pg_advisory_unlock($1)', [ingestLock])
  const { workMs = Number.NaN } = (await round) ?? {}
  const tookMs = performance.now() - startedAt
  assert.ok(
    workMs > 0 && workMs <= tookMs - waitedMs,
    `worked for ${workMs} of ${tookMs} ms, ${waitedMs} of them waiting`,
  )
})

test('alliances that go while a round fills its tables are neither ranked nor counted when it is over', async () => {
  const state = async () => {
    const { rows } = await client.query(`
      select (select alliances::int from chancery_world.ranking_round) as counted, array(
        select alliance_id from chancery_world.alliance_place order by position) as places`)
    return rows[0]
  }
  for (const [id, score] of [
    ['first', 9],
    ['second', 7],
    ['third', 5],
  ] as const)
    await client.query(
      `insert into chancery_world.alliance (id, name, tag, total_score, updated_at, search_text)
       values ($1, $1, $1, $2, now(), $1)`,
      [id, score],
    )
  const afterRound = async (meanwhile: string) => {
    await client.query(nextVersion)
    await client.query('select pg_advisory_lock($1)', [ingestLock])
    const round = runRankingRound(pool)
    await untilFilled()
    await client.query(meanwhile)
    await client.query(nextVersion)
    await client.query('select pg_advisory_unlock($1)', [ingestLock])
    assert.ok(await round)
    return state()
  }
  assert.deepEqual(await afterRound("delete from chancery_world.alliance where id = 'third'"), {
    counted: 2,
    places: ['first', 'second'],
  })
  // As a reset does: whoever asks for the list until the next round is told of none.
  assert.deepEqual(await afterRound('delete from chancery_world.alliance'), { counted: 0, places: [] })
  assert.ok(await runRankingRound(pool))
})

test('a row that an earlier version wrote is completed by the next round, though nothing changed', async () => {
  assert.equal(await runRankingRound(pool), undefined)
  await client.query('update chancery_world.nation_place set alliance_id = null')
  assert.ok(await runRankingRound(pool))
  const { rows } = await client.query(
    'select count(*)::int from chancery_world.nation_place where alliance_id is null',
  )
  assert.deepEqual(rows, [{ count: 0 }])
})

test('batches note which nations they wrote or removed, and a reset notes all', async t => {
  const chancery = await startTestServer()
  const one = new pg.Client({ connectionString: chancery.databaseUrl })
  await one.connect()
  t.after(() => Promise.all([one.end(), chancery.close()]))
  const noted = async () => {
    const { rows } = await one.query(
      'select distinct nation_id from chancery_secret.nation_changed order by nation_id',
    )
    return rows.map(row => row.nation_id)
  }
  // Nobody else may run a round, which would empty the notes.
  await one.query('select pg_advisory_lock($1)', [roundLock])
  const nation = (id: string): Fact => ({ op: 'put', resource: 'nation', data: { id, nation_name: id } })
  await chancery.ingest([nation('a'), nation('b'), nation('c')], { waits: false })
  assert.deepEqual(await noted(), ['a', 'b', 'c'])
  await one.query('truncate chancery_secret.nation_changed')
  await chancery.ingest([nation('a'), { op: 'delete', resource: 'nation', id: 'b' }], { waits: false })
  assert.deepEqual(await noted(), ['a', 'b'])
  await one.query('truncate chancery_secret.nation_changed')
  await chancery.ingest([{ op: 'reset', ended: { id: 'first', name: 'First' } }], { waits: false })
  assert.deepEqual(await noted(), ['a', 'c'])
})
