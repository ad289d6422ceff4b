import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { prepare, useFixture, useTestDatabase } from '../../server/test/support/fixture.ts'
import { outboxSql } from '../src/outbox-sql.ts'
import { createGame } from './game.ts'

/** The triggers that docs/game/connect-your-game.md names for copying, on the game that they are written for. */
const example = (file: string) =>
  readFile(new URL(`../../examples/connect-a-game/sql/${file}.sql`, import.meta.url), 'utf8')
const set = [await example('game'), await example('views'), await outboxSql(), await example('triggers')]
/** Enough rows that an index scan is cheaper than a table scan. */
const countries = 3_000

const database = useTestDatabase()
const game = useFixture(
  () => createGame(database.url, set.join('\n')),
  opened => opened.drop(),
)
prepare(() =>
  game.query(`
    insert into legions.country (name, ruler, gold, founded) select 'Country ' || i, 'Ruler', 10, now() from generate_series(1, ${countries}) i;
    insert into legions.legion (country, arm, in_field) select id, 'cavalry', 5 from legions.country;
    insert into legions.clan (title, short, colour, founded) values ('Wolves', 'WLV', '#7a1f1f', now());
    analyze legions.country; analyze legions.legion; analyze legions.stock`),
)
beforeEach(async () => {
  await game.query('delete from chancery_out.outbox; delete from legions.publish_failure')
})

interface Fact {
  op: string
  resource: string
  id?: string
  data?: { id: string; economy: { credits: number }; military: { units: Record<string, number> } }
}
const written = async () =>
  (await game.query('select fact from chancery_out.outbox order by id')).map(row => row.fact as Fact)
const failures = () =>
  game.query('select resource, key, code, reason from legions.publish_failure order by resource, key')
/** The view of nations fails on the country of this id. */
const breakView = (id: number) =>
  game.query(`
    create or replace function legions.motto(country integer) returns text language plpgsql as
      $$ begin if country = ${id} then raise exception 'no motto for %', country; end if; return 'Homeward.'; end $$;
    drop view chancery_out.nation;
    create view chancery_out.nation as
      select id, name as nation_name, jsonb_build_object('credits', gold) as economy, legions.motto(id) as motto from legions.country`)

test('a row that changes its owner is written once for the old and once for the new owner', async () => {
  await game.query(`update legions.legion set country = 2, arm = 'galley' where country = 1`)
  const facts = await written()
  // Objects merge: a unit that is left out would stay as it was.
  const none = { legionary: 0, cavalry: 0, galley: 0, spy: 0 }
  assert.deepEqual(facts.map(({ op, data }) => [op, data?.id, data?.military.units]).sort(), [
    ['put', 1, none],
    ['put', 2, { ...none, cavalry: 5, galley: 5 }],
  ])
})

test('an item whose key changes is deleted under its old key', async () => {
  await game.query(
    `insert into legions.bazaar (good, price, as_of) values ('grain', 3, now()); delete from chancery_out.outbox;
     update legions.bazaar set good = 'corn'`,
  )
  assert.deepEqual((await written()).map(({ op, id }) => [op, id]).sort(), [
    ['delete', 'grain'],
    ['put', undefined],
  ])
})

test('inserted, updated and deleted rows are written; an item with many changed rows is written once', async () => {
  await game.query(
    `insert into legions.stock (country, good, amount) select 7, good, 1 from unnest('{a,b,c}'::text[]) good`,
  )
  await game.query('update legions.stock set amount = 2 where country = 7')
  await game.query('delete from legions.stock where country = 7')
  await game.query('insert into legions.seat (country, clan, rank, since) values (7, 1, $1, now())', [
    'consul',
  ])
  await game.query('delete from legions.seat where country = 7')
  assert.deepEqual(
    (await written()).map(({ op, resource, id }) => [op, resource, id]),
    [
      ...Array.from({ length: 3 }, () => ['put', 'nation', undefined]),
      ['put', 'alliance_member', undefined],
      ['delete', 'alliance_member', '7'],
    ],
  )
})

test('the view is read through the index of its key, for one row and for many', async () => {
  const scans = async () => {
    const [row] = await game.query(
      `select sum(seq_scan)::int as count from pg_stat_xact_user_tables
       where schemaname = 'legions' and relname in ('country', 'legion')`,
    )
    return Number(row?.count)
  }
  /** How often a statement and its triggers read a whole table. */
  const scansOf = async (statement: string) => {
    await game.query('begin')
    const before = await scans()
    await game.query(statement)
    const after = await scans()
    await game.query('rollback')
    return after - before
  }
  assert.equal(await scansOf('update legions.country set gold = 11 where id = 5'), 0)
  assert.equal(await scansOf('update legions.legion set in_field = 6 where country = 5'), 0)
  // The statement of the game reads its table as a whole: that one scan, and no other.
  assert.equal(await scansOf('update legions.country set gold = 11'), 1)
})

test('a failing view does not abort the transaction of the game, and its items are recorded as failures', async () => {
  await breakView(3)
  await game.query('begin; update legions.country set gold = 50 where id in (3, 4); commit')
  assert.deepEqual(await game.query('select gold::int from legions.country where id in (3, 4)'), [
    { gold: 50 },
    { gold: 50 },
  ])
  assert.deepEqual(await written(), [])
  const failed = (key: string) => ({ resource: 'nation', key, code: 'P0001', reason: 'no motto for 3' })
  assert.deepEqual(await failures(), [failed('3'), failed('4')])
})

test('failed items are retried one by one, and stay recorded while they fail', async () => {
  await breakView(3)
  await game.query('update legions.country set gold = 50 where id in (3, 4)')
  await game.query('update legions.country set gold = 60 where id in (3, 4)')
  await game.query(
    `insert into legions.publish_failure (resource, view_key, key, code, reason) values ('nation', 'id', '9999', '', '')`,
  )
  assert.deepEqual(await game.query('select legions.publish_failed() as left'), [{ left: '1' }])
  const credits = async () =>
    (await written()).map(({ op, id, data }) => [op, id ?? data?.id, data?.economy.credits])
  assert.deepEqual(await credits(), [
    ['put', 4, 60],
    ['delete', '9999', undefined],
  ])
  assert.deepEqual(
    (await failures()).map(({ key }) => key),
    ['3'],
  )
  await game.query(
    `create or replace function legions.motto(country integer) returns text language sql as $$ select 'Homeward.' $$`,
  )
  assert.deepEqual(await game.query('select legions.publish_failed() as left'), [{ left: '0' }])
  assert.deepEqual((await credits()).at(-1), ['put', 3, 60])
})

test('a call retries at most 1,000 failures, and a repeated failure does not block the others', async () => {
  await breakView(3)
  await game.query(
    `insert into legions.publish_failure (resource, view_key, key, failed_at, code, reason)
     select 'nation', 'id', case when i = 0 then 3 else 100000 + i end, now() - interval '1 hour' + i * interval '1 second', '', ''
     from generate_series(0, 1001) i`,
  )
  const left = async () => (await game.query('select legions.publish_failed()::int as left'))[0]?.left
  assert.deepEqual([await left(), await left()], [3, 1])
  assert.deepEqual(
    (await failures()).map(({ key }) => key),
    ['3'],
  )
  assert.equal((await written()).length, 1001)
})

test('a statement cancelled within the triggers aborts the transaction, and nothing is recorded', async () => {
  await breakView(3)
  await game.query(
    `create or replace function legions.motto(country integer) returns text language plpgsql as
       $$ begin perform pg_sleep(60); return 'Homeward.'; end $$`,
  )
  const update = `begin; set local statement_timeout = '1s'; update legions.country set gold = 80 where id = 8; commit`
  await assert.rejects(game.query(update), { code: '57014' })
  await game.query('rollback')
  assert.deepEqual(await game.query('select gold::int from legions.country where id = 8 and gold = 80'), [])
  assert.deepEqual([await written(), await failures()], [[], []])
  await breakView(3)
})

test('a role without permission to record failures can still commit', async () => {
  const role = `chancery_player_${process.pid}`
  await game.query(
    `create role ${role}; grant usage on schema legions to ${role}; grant update, select on legions.country to ${role}`,
  )
  try {
    await game.query(`set role ${role}`)
    await game.query('update legions.country set gold = 70 where id = 9')
    await game.query('reset role')
    assert.deepEqual(await game.query('select gold::int from legions.country where id = 9'), [{ gold: 70 }])
  } finally {
    await game.query(`reset role; drop owned by ${role}; drop role ${role}`)
  }
})

test('a trigger is rejected at its creation if its key type differs from that of the view', async () => {
  await assert.rejects(
    game.query(`select legions.publish_table('legions.herald', 'nation', 'id', 'headline')`),
    /operator does not exist: integer = text|operator does not exist: text = integer/,
  )
})

test('the triggers shown in the guide are those of the example', async () => {
  const guide = await readFile(new URL('../../docs/game/connect-your-game.md', import.meta.url), 'utf8')
  const shown = guide.match(/^select legions\.publish_table.*$/gm) ?? []
  assert.ok(shown.length > 0)
  const triggers = await example('triggers')
  assert.deepEqual(
    shown.filter(line => !triggers.includes(line)),
    [],
  )
})
