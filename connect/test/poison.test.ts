import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { beforeEach, test } from 'node:test'
import type { ServiceClient } from '../src/service-client.ts'
import { usePullFixture } from './fixture.ts'
import type { ManualPuller } from './game.ts'
import { clientOf } from './service-client.ts'

const fixture = usePullFixture({ nations: 120 })
const { chancery, n, open, query, read, statusOf } = fixture

let manual: ManualPuller
beforeEach(async () => {
  manual = await open({ allowsDeletes: true })
})

interface Kept {
  id: string
  refusals: { path: string; reason: string }[]
}
const nameOf = async (id: string) => (await read(`/nations/${id}`)).nation_name
const kept = async () =>
  ((await (await chancery.operate('GET', '/refused?feed=pull')).json()) as { data: Kept[] }).data

test('a row with an invalid value is quarantined, the rest is sent, and the dead-letter store lists it', async () => {
  await query("update nations set name = '' where id = $1", [n(5)])
  const report = await manual.round()
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

  assert.equal(await manual.round(), undefined)
  await query('update nations set motto = $2 where id = $1', [n(7), 'On.'])
  const later = await manual.round()
  assert.deepEqual([later?.views.nation?.changed, later?.views.nation?.aside, later?.refused], [1, 1, []])
  assert.equal((await kept()).length, 1)

  await query("update nations set name = 'Corrected' where id = $1", [n(5)])
  await manual.round()
  assert.equal(await nameOf(n(5)), 'Corrected')
  assert.deepEqual(await kept(), [])
})

test('rows that refer to a rejected one are quarantined with it, however many', async () => {
  await query(
    `insert into alliances select $1::int + 900 + i, case when i <= 3 then '' else 'Guild ' || i end from generate_series(1, 5) i`,
    [fixture.start],
  )
  await query(
    'insert into members select $1::int + i, $1::int + 900 + 1 + i % 5 from generate_series(1, 40) i',
    [fixture.start],
  )
  const report = await manual.round()
  assert.deepEqual(
    report?.refused
      .filter(({ resource }) => resource === 'alliance')
      .map(({ key }) => key)
      .sort(),
    [n(901), n(902), n(903)],
  )
  assert.equal(report?.views.alliance_member?.aside, 24)
  assert.equal(report?.views.nation?.new, 120, 'all others are sent')
  await query(`update alliances set name = 'Corrected ' || id where name = ''`)
  await manual.round()
  assert.equal((await read(`/alliances/${n(901)}`)).member_count, 8)
  assert.deepEqual(await kept(), [])
})

test('a view whose references are all wrong fails the round', async () => {
  await query('insert into members select $1::int + i, 999999 from generate_series(1, 40) i', [fixture.start])
  await assert.rejects(
    manual.round(),
    /alliance_member: more than a tenth of its 40 rows.*there is no alliance 999999/,
  )
})

test('an item keeps its state while the new version of its row is rejected, also with a new puller', async () => {
  await manual.round()
  await query("update nations set name = '' where id = $1", [n(5)])
  await manual.round()
  assert.equal(await nameOf(n(5)), 'Nation 5')
  const next = await open()
  await next.round()
  assert.equal(await nameOf(n(5)), 'Nation 5')
  assert.equal((await kept()).length, 1)
  await query('delete from nations where id = $1', [n(5)])
  await next.round()
  assert.equal(await statusOf(`/nations/${n(5)}`), 404)
  assert.deepEqual(await kept(), [])
})

test('a row that is rejected for another reason is kept in its new form only', async () => {
  await query("update nations set name = '' where id = $1", [n(5)])
  await manual.round()
  await query('update nations set motto = $2 where id = $1', [n(5), 'x'.repeat(301)])
  await manual.round()
  const [one, ...others] = await kept()
  assert.deepEqual(others, [])
  const content = (await (await chancery.operate('GET', `/refused/${one?.id}`)).json()) as { content: string }
  assert.match(content.content, /xxx/)
})

test('rows that refer to a quarantined one are released with it', async () => {
  await query("update nations set name = '' where id = $1", [n(5)])
  await query(
    'insert into wars (id, attacker, defender) select $1 + i, $2::int, $3::int from generate_series(1, 12) i',
    [n(500), n(5), n(6)],
  )
  await query(
    'insert into wars (id, attacker, defender) select $1 + i, $2::int, $3::int from generate_series(1, 200) i',
    [n(600), n(7), n(8)],
  )
  const report = await manual.round()
  assert.deepEqual([report?.views.war?.new, report?.views.war?.aside], [200, 12])
  assert.equal((await kept()).length, 13)
  await query("update nations set name = 'Corrected' where id = $1", [n(5)])
  const released = await manual.round()
  assert.deepEqual([released?.views.war?.new, released?.views.war?.aside], [12, 0])
  assert.equal(await statusOf(`/wars/${n(501)}`), 200)
  assert.deepEqual(await kept(), [])
})

test('a row that an earlier puller quarantined and is valid now is dropped from the dead-letter store', async () => {
  await query("update nations set name = '' where id = $1", [n(5)])
  await manual.round()
  assert.equal((await kept()).length, 1)
  await query("update nations set name = 'Corrected' where id = $1", [n(5)])
  const next = await open()
  await next.round()
  assert.deepEqual(await kept(), [])
})

test('more than a tenth of rows rejected for the same reason stops the pull with one line, and nothing is applied', async () => {
  await manual.round()
  await query("update nations set name = '' where id <= $1", [n(20)])
  await query("update nations set name = 'Not sent' where id = $1", [n(90)])
  await assert.rejects(manual.round(), {
    name: 'ConnectError',
    message:
      /^chancery_out\.nation: more than a tenth of its 120 rows are rejected for the same reason: nothing of this round was applied: nation \d+: \/nation_name .*$/,
  })
  assert.equal(await nameOf(n(90)), 'Nation 90')
  assert.deepEqual(await kept(), [])
})

test('a view that lost a column, gave it another type or is gone waits, and the others are sent', async () => {
  await manual.round()
  await query("update nations set motto = 'Sent later.'")
  const nationView = (columns: string) =>
    `create view chancery_out.nation as select id, name as nation_name, ${columns} motto from nations`
  const changes: [string, string][] = [
    [
      `drop view chancery_out.nation; ${nationView('score::float8 as national_score,')}`,
      'the column national_score was numeric and is double precision. Cast it in the view, or restart chancery pull if this is intended',
    ],
    [
      `drop view chancery_out.nation; ${nationView('')}`,
      'it has lost its column national_score. Restore it, or restart chancery pull if this is intended',
    ],
    [
      'drop view chancery_out.nation',
      'it no longer exists. Restore it, or restart chancery pull if this is intended',
    ],
  ]
  for (const [index, [change, reason]] of changes.entries()) {
    await query(change)
    await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(600 + index), n(1), n(2)])
    const report = await manual.round()
    assert.deepEqual([report?.views.war?.new, report?.views.nation], [1, undefined])
    assert.ok(manual.messages.includes(`chancery_out.nation cannot be read and is skipped: ${reason}`))
    assert.deepEqual(manual.puller.state().waiting_views, [{ view: 'chancery_out.nation', reason }])
    assert.equal((await read(`/nations/${n(1)}`)).motto, null)
  }
  await query(nationView('score as national_score, born as founded_at, gold as "economy.credits",'))
  assert.equal((await manual.round())?.views.nation?.changed, 120)
  assert.equal((await read(`/nations/${n(1)}`)).motto, 'Sent later.')
})

test('a new column is sent for all rows', async () => {
  await manual.round()
  await query(`create or replace view chancery_out.nation as
    select id, name as nation_name, score as national_score, born as founded_at, motto, gold as "economy.credits", 3 as city_count from nations`)
  assert.equal((await manual.round())?.views.nation?.changed, 120)
  assert.equal(await manual.round(), undefined)
})

test('a view that fails on a value is skipped, and the others are sent', async () => {
  await query(`create or replace view chancery_out.war as
    select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at, ended as ended_at,
      case when ended is null then 'active' else 'ended' end as status, reason || (100 / id)::text as reason from wars`)
  await query('insert into wars (id, attacker, defender) values (0, $1, $2)', [n(1), n(2)])
  const report = await manual.round()
  assert.equal(report?.views.nation?.new, 120)
  assert.equal(report?.views.war, undefined)
  assert.deepEqual(manual.messages, ['chancery_out.war cannot be read and is skipped: division by zero'])
  await query('update wars set id = $1', [n(500)])
  assert.equal((await manual.round())?.views.war?.new, 1)
  assert.deepEqual(manual.messages.slice(1), [
    'resolved: chancery_out.war cannot be read and is skipped: division by zero',
  ])
})

test('a view that needs something that is gone is skipped, and the others are sent', async () => {
  await query(`create table bonus (points int); insert into bonus values (1);
    create function bonus() returns int language plpgsql as 'begin return (select points from bonus); end';
    create or replace view chancery_out.war as
    select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at, ended as ended_at,
      case when ended is null then 'active' else 'ended' end as status, reason || bonus() as reason from wars`)
  await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(700), n(1), n(2)])
  assert.equal((await manual.round())?.views.war?.new, 1)
  await query('alter table bonus rename to hidden')
  await query('update nations set motto = $2 where id = $1', [n(8), 'On.'])
  assert.equal((await manual.round())?.views.nation?.changed, 1)
  assert.match(
    manual.messages.at(-1) ?? '',
    /^chancery_out\.war cannot be read and is skipped: .*relation "bonus" does not exist \(SQLSTATE 42P01\)$/,
  )
  await query('alter table hidden rename to bonus')
  assert.equal(await manual.round(), undefined)
  assert.equal(await statusOf(`/wars/${n(700)}`), 200)
})

test('rows with a duplicate key or without a key are skipped and reported once', async () => {
  await query(`drop view chancery_out.nation; create view chancery_out.nation as
    select nullif(id, ${n(3)}) as id, name as nation_name from nations union all select ${n(4)}, 'Again'`)
  const report = await manual.round()
  assert.deepEqual([report?.views.nation?.new, report?.views.nation?.aside], [118, 1])
  assert.equal(await statusOf(`/nations/${n(4)}`), 404)
  await query('update nations set name = name || $1 where id = $2', ['!', n(9)])
  await manual.round()
  assert.deepEqual(manual.messages, [
    'chancery_out.nation: 1 row has no key and is skipped',
    `chancery_out.nation: several rows have the same key and are skipped (a join may multiply them): ${n(4)}`,
  ])
})

test('a quarantined row is retried when the item that it refers to arrives from elsewhere', async () => {
  await query('insert into wars (id, attacker, defender) values ($1, $2, $3)', [n(500), n(1), n(999)])
  const patient = await open({ allowsDeletes: true, retryMs: 0 })
  assert.deepEqual(
    (await patient.round())?.refused.map(({ key }) => key),
    [n(500)],
  )
  assert.equal(await patient.round(), undefined)
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: n(999), nation_name: 'Elsewhere' } }], {
    waits: false,
  })
  assert.equal((await patient.round())?.views.war?.new, 1)
  assert.equal(await statusOf(`/wars/${n(500)}`), 200)
  assert.deepEqual(await kept(), [])
})

test('a batch that is rejected without a line is bisected, and the row quarantined', async () => {
  const client = clientOf(chancery)
  const reason = 'the database cannot store a value: of some row'
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
        set_aside: 0,
        events: 0,
        last_seq: null,
        is_kept: false,
        refused: [{ line: 0, path: '', reason }],
      }
      if (isOdd) yield { ...refused, status: 'refused' }
      else yield* client.send(Readable.from([text]), options)
    },
  }
  const odd = await open({ allowsDeletes: true }, vague)
  const report = await odd.round()
  assert.deepEqual(
    report?.refused.map(row => [row.key, row.reason]),
    [[n(77), reason]],
  )
  assert.equal(report?.views.nation?.new, 119)
  assert.ok(checks <= 8, `${checks} checks`)
})
