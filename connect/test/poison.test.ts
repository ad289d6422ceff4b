import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { createSmallGame, type Game, type ManualPuller, manualPuller } from './game.ts'
import { clientOf } from './service-client.ts'

let chancery: TestServer
let game: Game
let hand: ManualPuller
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

let start = 0
beforeEach(async () => {
  start += 1000
  game = await createSmallGame(chancery.databaseUrl, { start, nations: 120 })
  hand = await manualPuller(game, clientOf(chancery), { allowsDeletes: true })
})
afterEach(async () => {
  await hand.close()
  await game.drop()
})

interface Kept {
  id: string
  refusals: { path: string; reason: string }[]
}
const n = (index: number) => String(start + index)
const statusOf = async (path: string) => (await chancery.get(path)).status
const nameOf = async (id: string) =>
  (await chancery.read<{ data: { nation_name: string } }>(`/nations/${id}`)).data.nation_name
const kept = async () =>
  ((await (await chancery.operate('GET', '/refused?feed=pull')).json()) as { data: Kept[] }).data

test('a row with an invalid value is quarantined, the rest is sent, and the dead-letter store lists it', async () => {
  await game.query("update nations set name = '' where id = $1", [n(5)])
  const report = await hand.round()
  assert.deepEqual(
    report?.refused.map(({ resource, key, path }) => [resource, key, path]),
    [['nation', n(5), '/data/nation_name']],
  )
  assert.equal(report?.views.nation?.new, 119)
  assert.equal(await statusOf(`/nations/${n(6)}`), 200)
  assert.equal(await statusOf(`/nations/${n(5)}`), 404)
  assert.deepEqual(
    (await kept()).map(({ refusals }) => refusals.map(({ path }) => path)),
    [['/data/nation_name']],
  )

  assert.equal(await hand.round(), undefined)
  await game.query('update nations set motto = $2 where id = $1', [n(7), 'On.'])
  const later = await hand.round()
  assert.deepEqual([later?.views.nation?.changed, later?.views.nation?.aside, later?.refused], [1, 1, []])
  assert.equal((await kept()).length, 1)

  await game.query("update nations set name = 'Mended' where id = $1", [n(5)])
  await hand.round()
  assert.equal(await nameOf(n(5)), 'Mended')
  assert.deepEqual(await kept(), [])
})

test('rows that refer to a rejected one are quarantined with it, however many', async () => {
  await game.query(
    `insert into alliances select $1::int + 900 + i, case when i <= 3 then '' else 'Guild ' || i end from generate_series(1, 5) i`,
    [start],
  )
  await game.query(
    'insert into members select $1::int + i, $1::int + 900 + 1 + i % 5 from generate_series(1, 40) i',
    [start],
  )
  const report = await hand.round()
  assert.deepEqual(
    report?.refused
      .filter(({ resource }) => resource === 'alliance')
      .map(({ key }) => key)
      .sort(),
    [n(901), n(902), n(903)],
  )
  assert.equal(report?.views.alliance_member?.aside, 24)
  assert.equal(report?.views.nation?.new, 120, 'all others are sent')
  await game.query(`update alliances set name = 'Mended ' || id where name = ''`)
  await hand.round()
  assert.equal(
    (await chancery.read<{ data: { member_count: number } }>(`/alliances/${n(901)}`)).data.member_count,
    8,
  )
  assert.deepEqual(await kept(), [])
})

test('a view whose references are all wrong fails the round', async () => {
  await game.query('insert into members select $1::int + i, 999999 from generate_series(1, 40) i', [start])
  await assert.rejects(
    hand.round(),
    /alliance_member: more than a tenth of its 40 rows.*there is no alliance 999999/,
  )
})

test('an item keeps its state while the new version of its row is rejected, also with a new puller', async () => {
  await hand.round()
  await game.query("update nations set name = '' where id = $1", [n(5)])
  await hand.round()
  assert.equal(await nameOf(n(5)), 'Nation 5')
  const next = await manualPuller(game, clientOf(chancery))
  try {
    await next.round()
    assert.equal(await nameOf(n(5)), 'Nation 5')
    assert.equal((await kept()).length, 1)
    await game.query('delete from nations where id = $1', [n(5)])
    await next.round()
    assert.equal(await statusOf(`/nations/${n(5)}`), 404)
    assert.deepEqual(await kept(), [])
  } finally {
    await next.close()
  }
})

test('a row that is rejected for another reason is kept in its new form only', async () => {
  await game.query("update nations set name = '' where id = $1", [n(5)])
  await hand.round()
  await game.query('update nations set motto = $2 where id = $1', [n(5), 'x'.repeat(301)])
  await hand.round()
  const [one, ...others] = await kept()
  assert.deepEqual(others, [])
  const content = (await (await chancery.operate('GET', `/refused/${one?.id}`)).json()) as { content: string }
  assert.match(content.content, /xxx/)
})

test('rows that refer to a quarantined one are released with it', async () => {
  await game.query("update nations set name = '' where id = $1", [n(5)])
  await game.query(
    'insert into wars (id, attacker, defender) select $1 + i, $2::int, $3::int from generate_series(1, 12) i',
    [n(500), n(5), n(6)],
  )
  await game.query(
    'insert into wars (id, attacker, defender) select $1 + i, $2::int, $3::int from generate_series(1, 200) i',
    [n(600), n(7), n(8)],
  )
  const report = await hand.round()
  assert.deepEqual([report?.views.war?.new, report?.views.war?.aside], [200, 12])
  assert.equal((await kept()).length, 13)
  await game.query("update nations set name = 'Mended' where id = $1", [n(5)])
  const cured = await hand.round()
  assert.deepEqual([cured?.views.war?.new, cured?.views.war?.aside], [12, 0])
  assert.equal(await statusOf(`/wars/${n(501)}`), 200)
  assert.deepEqual(await kept(), [])
})

test('a row that an earlier puller quarantined and is valid now is dropped from the dead-letter store', async () => {
  await game.query("update nations set name = '' where id = $1", [n(5)])
  await hand.round()
  assert.equal((await kept()).length, 1)
  await game.query("update nations set name = 'Mended' where id = $1", [n(5)])
  const next = await manualPuller(game, clientOf(chancery))
  try {
    await next.round()
    assert.deepEqual(await kept(), [])
  } finally {
    await next.close()
  }
})

test('more than a tenth of rows rejected for the same reason stops the pull with one line, and nothing is applied', async () => {
  await hand.round()
  await game.query("update nations set name = '' where id <= $1", [n(20)])
  await game.query("update nations set name = 'Not sent' where id = $1", [n(90)])
  await assert.rejects(hand.round(), {
    name: 'ConnectError',
    message:
      /^chancery_out\.nation: more than a tenth of its 120 rows are rejected for the same reason: nothing of this round was applied: nation \d+: \/nation_name .*$/,
  })
  assert.equal(await nameOf(n(90)), 'Nation 90')
  assert.deepEqual(await kept(), [])
})

test('a column that is missing or has another type stops the pull with one line, and nothing is sent', async () => {
  await hand.round()
  await game.query(`update nations set motto = 'Not sent.'; drop view chancery_out.nation;
    create view chancery_out.nation as select id, name as nation_name, score::float8 as national_score, motto from nations`)
  await assert.rejects(
    hand.round(),
    /^ConnectError: chancery_out\.nation: the column national_score was numeric and is double precision: nothing/,
  )
  await game.query(`drop view chancery_out.nation;
    create view chancery_out.nation as select id, name as nation_name, motto from nations`)
  await assert.rejects(
    hand.round(),
    /^ConnectError: chancery_out\.nation has lost its column national_score: nothing of this round was sent/,
  )
  await game.query('drop view chancery_out.nation')
  await assert.rejects(
    hand.round(),
    /^ConnectError: chancery_out\.nation no longer exists: nothing of this round was sent/,
  )
  const report = (await chancery.read<{ data: { motto: null } }>(`/nations/${n(1)}`)).data
  assert.equal(report.motto, null)
})

test('a new column is sent for all rows', async () => {
  await hand.round()
  await game.query(`create or replace view chancery_out.nation as
    select id, name as nation_name, score as national_score, born as founded_at, motto, gold as "economy.credits", 3 as city_count from nations`)
  assert.equal((await hand.round())?.views.nation?.changed, 120)
  assert.equal(await hand.round(), undefined)
})

test('a view that fails on a value is skipped, and the others are sent', async () => {
  await game.query(`create or replace view chancery_out.war as
    select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at, ended as ended_at,
      case when ended is null then 'active' else 'ended' end as status, reason || (100 / id)::text as reason from wars`)
  await game.query('insert into wars (id, attacker, defender) values (0, $1, $2)', [n(1), n(2)])
  const report = await hand.round()
  assert.equal(report?.views.nation?.new, 120)
  assert.equal(report?.views.war, undefined)
  assert.deepEqual(hand.messages, ['chancery_out.war cannot be read and is skipped: division by zero'])
  await game.query('update wars set id = $1', [n(500)])
  assert.equal((await hand.round())?.views.war?.new, 1)
  assert.deepEqual(hand.messages.slice(1), [
    'resolved: chancery_out.war cannot be read and is skipped: division by zero',
  ])
})

test('rows with a duplicate key or without a key are skipped and reported once', async () => {
  await game.query(`drop view chancery_out.nation; create view chancery_out.nation as
    select nullif(id, ${n(3)}) as id, name as nation_name from nations union all select ${n(4)}, 'Again'`)
  const report = await hand.round()
  assert.deepEqual([report?.views.nation?.new, report?.views.nation?.aside], [118, 1])
  assert.equal(await statusOf(`/nations/${n(4)}`), 404)
  await game.query('update nations set name = name || $1 where id = $2', ['!', n(9)])
  await hand.round()
  assert.deepEqual(hand.messages, [
    'chancery_out.nation: 1 row has no key and is skipped',
    `chancery_out.nation: several rows have the same key and are skipped (a join may multiply them): ${n(4)}`,
  ])
})

test('a quarantined row is retried when the item that it refers to arrives from elsewhere', async () => {
  await game.query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(1), n(999)])
  const patient = await manualPuller(game, clientOf(chancery), { allowsDeletes: true, retryMs: 0 })
  try {
    assert.deepEqual(
      (await patient.round())?.refused.map(({ key }) => key),
      [n(500)],
    )
    assert.equal(await patient.round(), undefined)
    await chancery.ingest(
      [{ op: 'put', resource: 'nation', data: { id: n(999), nation_name: 'Elsewhere' } }],
      {
        waits: false,
      },
    )
    assert.equal((await patient.round())?.views.war?.new, 1)
    assert.equal(await statusOf(`/wars/${n(500)}`), 200)
    assert.deepEqual(await kept(), [])
  } finally {
    await patient.close()
  }
})

test('a batch that is rejected without a line is bisected, and the row quarantined', async () => {
  const client = clientOf(chancery)
  const reason = 'the database cannot keep a value: of some row'
  let checks = 0
  const vague: ServiceClient = {
    ...client,
    async *send(facts, options) {
      if (options?.isCheck) checks += 1
      let text = ''
      for await (const part of facts) text += part
      const isOdd = text.includes(`"id":"${n(77)}"`)
      const refused = {
        batch: null,
        facts: 0,
        events: 0,
        last_seq: null,
        is_kept: false,
        refused: [{ line: 0, path: '', reason }],
      }
      if (isOdd) yield { ...refused, status: 'refused' }
      else yield* client.send(Readable.from([text]), options)
    },
  }
  const odd = await manualPuller(game, vague, { allowsDeletes: true })
  try {
    const report = await odd.round()
    assert.deepEqual(
      report?.refused.map(row => [row.key, row.reason]),
      [[n(77), reason]],
    )
    assert.equal(report?.views.nation?.new, 119)
    assert.ok(checks <= 8, `${checks} checks`)
  } finally {
    await odd.close()
  }
})
