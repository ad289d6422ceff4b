import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runRankingRound } from '../../src/rankings/round.ts'
import { ingestLock } from '../../src/store/locks.ts'
import { nation, remove } from '../ingest/facts.ts'
import { withoutRounds } from '../support/database-url.ts'
import { useClient, useIngestPool, useTestDatabase } from '../support/fixture.ts'
import { startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'

const database = useTestDatabase()
const server = {
  get databaseUrl() {
    return database.url
  },
}
const pool = useIngestPool(server)
const client = useClient(server)

const insertNation = (id: string, score: number) =>
  client.query(
    `insert into chancery_world.nation (id, nation_name, leader_name, national_score, status, updated_at, search_text)
     values ($1, $1, '', $2, 'active', now(), $1)`,
    [id, score],
  )
/** Logs changed nations, as a batch does. */
const noteChanged = (ids: string[]) =>
  client.query(
    'insert into chancery_secret.nation_ranking_log select world_version + 1, unnest($1::text[]) from chancery_world.pulse',
    [ids],
  )
const nextVersion = 'update chancery_world.pulse set world_version = world_version + 1'

/** Waits until the round waits for the lock of a batch: its new tables are filled. */
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
    await insertNation(id, score)
  await client.query(nextVersion)
  await client.query('select pg_advisory_lock($1)', [ingestLock])
  const round = runRankingRound(pool, { updatedBelow: 0 })
  await untilFilled()
  await client.query("delete from chancery_world.nation where id = 'gone'")
  await client.query(
    "update chancery_world.nation set status = 'vacation', national_score = 1, search_text = 'new' where id = 'here'",
  )
  await insertNation('young', 100)
  await client.query(
    "insert into chancery_world.alliance_member (nation_id, alliance_id, rank) values ('here', 'a1', 'member'), ('young', 'a1', 'member')",
  )
  await noteChanged(['gone', 'here', 'here', 'young'])
  await client.query(nextVersion)
  await client.query('select pg_advisory_unlock($1)', [ingestLock])
  assert.ok(await round)

  const { rows } = await client.query(
    'select position::int, nation_id, rank::int, status, current_score::float, search_text from chancery_world.nation_ranking order by position',
  )
  assert.deepEqual(rows, [
    { position: 2, nation_id: 'here', rank: 2, status: 'vacation', current_score: 1, search_text: 'new' },
    { position: 3, nation_id: 'other', rank: 3, status: 'active', current_score: 5, search_text: 'other' },
    {
      position: 4,
      nation_id: 'young',
      rank: null,
      status: 'active',
      current_score: 100,
      search_text: 'young',
    },
  ])
  // All others are at the positions by the scores of the round.
  const { rows: moved } = await client.query(
    'select position::int from chancery_world.nation_ranking_dirty order by position',
  )
  assert.deepEqual(
    moved.map(row => row.position),
    [1, 2, 4],
  )
  const { rows: members } = await client.query(
    'select nation_id, alliance_id from chancery_world.nation_ranking order by position',
  )
  assert.deepEqual(members, [
    { nation_id: 'here', alliance_id: 'a1' },
    { nation_id: 'other', alliance_id: '' },
    { nation_id: 'young', alliance_id: 'a1' },
  ])
  const { rows: counted } = await client.query('select nations::int from chancery_world.ranking_round')
  assert.deepEqual(counted, [{ nations: 3 }])
  assert.ok(await runRankingRound(pool, { updatedBelow: 0 }))
  const { rows: ranked } = await client.query(
    'select nation_id from chancery_world.nation_ranking order by position',
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
    await client.query(`update chancery_world.ranking_round set paused_until = ${restsUntil}`)
    const round = await runRankingRound(pool, { isPaced: true })
    assert.equal(round?.workMs !== undefined, runs, restsUntil)
    const { pauseMs = Number.NaN } = round ?? {}
    assert.ok(pauseMs > 0 && pauseMs <= 10_000, `${restsUntil}: ${pauseMs}`)
  }
  const { rows } = await client.query(
    'select paused_until > clock_timestamp() as rests from chancery_world.ranking_round',
  )
  assert.deepEqual(rows, [{ rests: true }])
})

test('waiting for a batch does not count as work of a round', async () => {
  await client.query(nextVersion)
  await client.query('select pg_advisory_lock($1)', [ingestLock])
  const startedAt = performance.now()
  const round = runRankingRound(pool, { updatedBelow: 0 })
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
        select alliance_id from chancery_world.alliance_ranking order by position) as places`)
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
    const round = runRankingRound(pool, { updatedBelow: 0 })
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
  // As a reset does: the list is empty until the next round.
  assert.deepEqual(await afterRound('delete from chancery_world.alliance'), { counted: 0, places: [] })
  assert.ok(await runRankingRound(pool, { updatedBelow: 0 }))
})

test('places by attributes have no nation that goes, and no attribute that is no longer ranked, while a round fills its tables', async () => {
  const serveWith = (ranked: string[]) => {
    const attributes = ranked.map(key => ({ key, ranked: true }))
    return client.query(
      `insert into chancery_meta.game_profile (profile) values ($1)
       on conflict (is_only) do update set profile = excluded.profile`,
      [JSON.stringify({ attributes: { nation: attributes, alliance: attributes } })],
    )
  }
  const places = async (owner: string) => {
    const { rows } = await client.query(
      `select attribute, ${owner}_id as id, position::int, value::float from chancery_world.${owner}_attribute_ranking order by 1, 3`,
    )
    return rows.map(({ attribute, id, position, value }) => [attribute, id, position, value])
  }
  const afterRound = async (meanwhile: () => Promise<unknown>) => {
    await client.query(nextVersion)
    await client.query('select pg_advisory_lock($1)', [ingestLock])
    const round = runRankingRound(pool, { updatedBelow: 0 })
    await untilFilled()
    await meanwhile()
    await client.query(nextVersion)
    await client.query('select pg_advisory_unlock($1)', [ingestLock])
    assert.ok(await round)
  }
  for (const [id, fame] of [
    ['low', 1],
    ['high', 3],
    ['middle', 2],
  ] as const) {
    await insertNation(id, 0)
    await client.query('update chancery_world.nation set attributes = $2 where id = $1', [
      id,
      JSON.stringify({ fame, luck: fame }),
    ])
    await client.query(
      `insert into chancery_world.alliance (id, name, tag, updated_at, search_text, attributes) values ($1, $1, $1, now(), $1, $2)`,
      [id, JSON.stringify({ fame })],
    )
  }
  await serveWith(['fame', 'luck'])
  await afterRound(async () => {
    await client.query("delete from chancery_world.nation where id = 'middle'")
    await client.query("delete from chancery_world.alliance where id = 'high'")
    await noteChanged(['middle'])
    await serveWith(['fame'])
  })
  assert.deepEqual(await places('nation'), [
    ['fame', 'high', 1, 3],
    ['fame', 'low', 3, 1],
  ])
  const { rows: indexed } = await client.query(
    "select nation_id, ranked_values from chancery_world.nation_ranking where ranked_values <> '{}' order by 1",
  )
  assert.deepEqual(indexed, [
    { nation_id: 'high', ranked_values: { fame: 3 } },
    { nation_id: 'low', ranked_values: { fame: 1 } },
  ])
  assert.deepEqual(await places('alliance'), [
    ['fame', 'middle', 2, 2],
    ['fame', 'low', 3, 1],
  ])
  const { rows: gaps } = await client.query(
    "select position::int from chancery_world.nation_attribute_ranking_gap where attribute = 'fame'",
  )
  assert.deepEqual(gaps, [{ position: 2 }])
  assert.ok(await runRankingRound(pool, { updatedBelow: 0 }))
})

test('a row that an earlier version wrote is completed by the next round, though nothing changed', async () => {
  assert.equal(await runRankingRound(pool, { updatedBelow: 0 }), undefined)
  await client.query('update chancery_world.nation_ranking set alliance_id = null')
  assert.ok(await runRankingRound(pool, { updatedBelow: 0 }))
  const { rows } = await client.query(
    'select count(*)::int from chancery_world.nation_ranking where alliance_id is null',
  )
  assert.deepEqual(rows, [{ count: 0 }])
})

test('a round that updates its tables leaves what one leaves that creates them', async () => {
  const tables = [
    'nation_ranking',
    'alliance_ranking',
    'nation_attribute_ranking',
    'alliance_attribute_ranking',
  ]
  const contents = async () => {
    const all = []
    for (const table of [...tables, 'nation_ranking_dirty', 'nation_attribute_ranking_gap'])
      all.push((await client.query(`select * from chancery_world.${table} order by ${table}`)).rows)
    return all
  }
  const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T
  const ids = Array.from({ length: 12 }, (_, index) => `r${index}`)
  const value = () => pick([null, 0, 1, 1, 2, -3])
  const steps = [
    () => insertNation(pick(ids), value() ?? 5).catch(() => undefined),
    () =>
      client.query('update chancery_world.nation set national_score = $2, attributes = $3 where id = $1', [
        pick(ids),
        value() ?? 0,
        JSON.stringify({ fame: value(), luck: value() }),
      ]),
    () => client.query('delete from chancery_world.nation where id = $1', [pick(ids)]),
    () =>
      client.query(
        `insert into chancery_world.alliance (id, name, tag, updated_at, search_text, attributes) values ($1, $1, $1, now(), $1, $2)
         on conflict (id) do update set attributes = excluded.attributes`,
        [pick(ids), JSON.stringify({ fame: value() })],
      ),
    () => client.query('delete from chancery_world.alliance where id = $1', [pick(ids)]),
    () => client.query('update chancery_world.ranking_round set day = current_date - 1'),
  ]
  const round = async (updatedBelow: number) => {
    await client.query(nextVersion)
    assert.ok(await runRankingRound(pool, { updatedBelow }))
    return contents()
  }
  const oidOf = async () => (await client.query("select 'chancery_world.nation_ranking'::regclass::oid")).rows
  for (let turn = 0; turn < randomRuns(200); turn += 1) {
    for (let left = pick([1, 2, 5, 20]); left > 0; left -= 1) await pick(steps)()
    const before = await oidOf()
    const updated = await round(1_000)
    assert.deepEqual(await oidOf(), before, 'the table is the same')
    assert.deepEqual(updated, await round(0))
    assert.notDeepEqual(await oidOf(), before, 'the table is another')
  }
})

test('a profile adopted while a round waits for a batch ranks by its attributes', async () => {
  const serveWith = (keys: string[]) =>
    client.query('update chancery_meta.game_profile set profile = $1', [
      JSON.stringify({ attributes: { nation: keys.map(key => ({ key, ranked: true })), alliance: [] } }),
    ])
  await insertNation('famed', 0)
  await client.query(
    `update chancery_world.nation set attributes = '{"fame": 1, "luck": 2}' where id = 'famed'`,
  )
  await serveWith(['fame'])
  await client.query(nextVersion)
  await client.query('select pg_advisory_lock($1)', [ingestLock])
  const round = runRankingRound(pool)
  await untilFilled()
  await serveWith(['luck'])
  await client.query('select pg_advisory_unlock($1)', [ingestLock])
  assert.ok(await round)
  const { rows } = await client.query(
    'select distinct attribute from chancery_world.nation_attribute_ranking order by 1',
  )
  assert.deepEqual(rows, [{ attribute: 'luck' }])
})

test('batches log which nations they wrote or removed, and a reset logs all', async t => {
  const chancery = await startTestServer()
  t.after(() => chancery.close())
  // A round would empty the log.
  await withoutRounds(chancery, async client => {
    for (const [facts, logged] of [
      [
        [nation('a'), nation('b'), nation('c')],
        ['a', 'b', 'c'],
      ],
      [
        [nation('a'), remove('nation', 'b')],
        ['a', 'b'],
      ],
      [[{ op: 'reset', ended: { id: 'first', name: 'First' } }], ['a', 'c']],
    ] as const) {
      await client.query('truncate chancery_secret.nation_ranking_log')
      await chancery.ingest([...facts], { waits: false })
      const { rows } = await client.query(
        'select distinct nation_id from chancery_secret.nation_ranking_log order by nation_id',
      )
      assert.deepEqual(
        rows.map(row => row.nation_id),
        logged,
      )
    }
  })
})
