import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { factResources } from '@chancery/contract'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { ConnectError, GameUnavailableError } from '../src/errors.ts'
import { openViews } from '../src/game-database/open-views.ts'
import { touchedSql } from '../src/pull/touched-sql.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import { viewTemplates } from '../src/pull/view-templates.ts'
import { assertReadsTemplates, factsOfExample, pullsFrom, viewsOptions } from './fixture.ts'
import { contract } from './service-client.ts'

const chancery = useTestServer()
let folder: string
let game: DatabaseSync
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-sqlite-'))
  game = new DatabaseSync(path())
  game.exec(`pragma journal_mode = wal;
    create table alliances (id integer primary key, name text);
    create table nations (id integer primary key, name text, score real default 0, gold integer, born integer default 1767225600, motto text, open integer);
    create table members (nation integer primary key, alliance integer);
    create table wars (id integer primary key, attacker integer, defender integer, declared text default '2026-02-01 00:00:00', ended text);
    create view chancery_out_alliance as select id, name from alliances;
    create view chancery_out_nation as select id, name as nation_name, score as national_score, born as founded_at, motto,
      json_object('credits', gold) as economy from nations;
    create view chancery_out_alliance_member as select nation as nation_id, alliance as alliance_id from members;
    create view chancery_out_war as select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at,
      ended as ended_at, case when ended is null then 'active' else 'ended' end as status from wars;`)
  for (let id = 1; id <= 30; id += 1)
    game
      .prepare('insert into nations (id, name, score, gold) values (?, ?, ?, ?)')
      .run(id, `Nation ${id}`, id + 0.25, id * 10)
})
after(async () => {
  game.close()
  await rm(folder, { recursive: true })
})

const path = () => join(folder, 'game.db')
const url = () => `sqlite:${path()}`
const { read, statusOf, withPuller, withViews, check } = pullsFrom(chancery, url)

test('the first round sends everything, later ones the changes', () =>
  withPuller(async manual => {
    assert.deepEqual((await manual.round())?.views.nation?.new, 30)
    const nation = await read('/nations/7')
    assert.deepEqual(
      [nation.nation_name, nation.national_score, nation.founded_at],
      ['Nation 7', 7.25, '2026-01-01T00:00:00Z'],
    )
    assert.equal(await manual.round(), undefined, 'nothing has changed')
    game.exec(`insert into alliances values (900, 'Pact'); insert into members values (1, 900), (2, 900);
      insert into wars (id, attacker, defender) values (500, 3, 4); update nations set motto = 'Größe' where id = 5; delete from nations where id = 9`)
    const report = await manual.round()
    assert.deepEqual(
      Object.entries(report?.views ?? {}).map(([name, view]) => [name, view.new, view.changed, view.deleted]),
      [
        ['alliance', 1, 0, 0],
        ['nation', 0, 1, 1],
        ['alliance_member', 2, 0, 0],
        ['war', 1, 0, 0],
      ],
    )
    assert.equal((await read('/nations/5')).motto, 'Größe')
    assert.equal((await read('/wars/500')).declared_at, '2026-02-01T00:00:00Z')
    assert.equal(await statusOf('/nations/9'), 404)
  }))

test('values have no declared type, and become those of the contract', () =>
  withViews(async views => {
    game.exec(`create view probe_alliance as select 9223372036854775807 as id, 'Pact' as name, 1 as recruiting, 0 as founded_at;
      create view probe_nation as select 'n1' as id, x'4772c3b6c39f65' as nation_name, 12.5 as national_score,
        1779235200 as founded_at, '{"credits": 9007199254740991}' as economy, 3 as city_count`)
    const reader = new ViewReader(views, contract, 'probe')
    const facts = await reader.inSnapshot(() =>
      Promise.all(
        (['alliance', 'nation'] as const).map(async resource => {
          const view = await reader.read(resource)
          assert.ok('hashes' in view)
          const [line = ''] = (await reader.putLines(view, [...view.hashes.keys()])).values()
          return JSON.parse(line).data
        }),
      ),
    )
    assert.deepEqual(facts, [
      { id: '9223372036854775807', name: 'Pact', recruiting: true, founded_at: null },
      {
        id: 'n1',
        nation_name: 'Größe',
        national_score: 12.5,
        founded_at: '2026-05-20T00:00:00Z',
        economy: { credits: 9007199254740991 },
        city_count: 3,
      },
    ])
  }))

test('rows that differ only in where a value ends, or in its type, have other hashes', () =>
  withViews(async views => {
    game.exec(`create table edge_t (id, a, b); insert into edge_t values (1, 'a', 'b,c'), (2, 'a,b', 'c'), (3, 'a', null), (4, 'a', 'NULL'),
      (5, 'a', ''), (6, 1, '1'), (7, '1', 1), (8, 'a', 'b' || char(0) || 'c'), (9, 'a', 'b' || char(0) || 'd'), (10, 'a', x'62'); create view edge_nation as select * from edge_t`)
    const columns = ['a', 'b'].map(name => ({ name, type: '', category: 'v' }))
    const rows = await views.hashes({ schema: 'edge', name: 'nation', key: 'id' }, columns, 'all')
    assert.equal(new Set(rows.map(([, hash]) => hash)).size, 10)
  }))

test('a round sees one moment of all tables, and does not delay the game', () =>
  withViews(async views => {
    const reader = new ViewReader(views, contract, 'chancery_out')
    const [nations, wars] = await reader.inSnapshot(async () => {
      const nation = await reader.read('nation')
      game.exec(
        "insert into nations (id, name) values (70, 'Late'); insert into wars (id, attacker, defender) values (570, 70, 3)",
      )
      return [nation, await reader.read('war')]
    })
    assert.ok(nations && wars && 'hashes' in nations && 'hashes' in wars)
    assert.deepEqual([nations.hashes.has('70'), wars.hashes.has('570')], [false, false])
  }))

test('invalid rows are quarantined, and too many deletions held back', () =>
  withPuller(
    async manual => {
      await manual.round()
      game.exec(
        "update nations set motto = hex(zeroblob(3000)) where id = 20; update nations set motto = 'sent' where id = 21; delete from nations where id > 25",
      )
      const report = await manual.round()
      assert.deepEqual(
        report?.refused.map(({ key, path }) => [key, path]),
        [['20', '/data/motto']],
      )
      assert.equal(report?.views.nation?.held_back, 6)
      assert.equal((await read('/nations/21')).motto, 'sent')
      game.exec("update nations set motto = 'short', score = 9e999 where id = 20")
      assert.deepEqual(
        (await manual.round())?.refused.map(({ key, path, value }) => [key, path, value]),
        [['20', '/data/national_score', '"Infinity"']],
      )
      game.exec('update nations set score = 1 where id = 20')
      await manual.round()
      assert.equal((await read('/nations/20')).motto, 'short')
      assert.equal(await statusOf('/nations/28'), 200)
    },
    { allowsDeletes: false },
  ))

test('a view whose table has lost a column cannot be read; the others continue', () =>
  withPuller(async manual => {
    await manual.round()
    game.exec(
      'drop view chancery_out_war; create view chancery_out_war as select id, attacker as "attacker.nation_id", defender as "defender.nation_id", gone as declared_at from wars; update nations set motto = \'still\' where id = 6',
    )
    await manual.round()
    assert.match(manual.messages.join('\n'), /war cannot be read and is skipped: no such column: gone/)
    assert.equal((await read('/nations/6')).motto, 'still')
    assert.equal(await statusOf('/wars/500'), 200)
    game.exec(
      'drop view chancery_out_war; create view chancery_out_war as select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at from wars',
    )
  }))

test('one puller at a time has the lock, and its end releases it', async () => {
  const [first, second] = [await openViews(url(), viewsOptions), await openViews(url(), viewsOptions)]
  assert.equal(await first.tryLock('pull chancery_out'), true)
  assert.equal(await second.tryLock('pull chancery_out'), false)
  await first.close()
  for (let attempts = 0; !(await second.tryLock('pull chancery_out')); attempts += 1)
    assert.ok(attempts < 1_000)
  await second.close()
})

test('the file is not written, and one that replaces it is opened again', async () => {
  const views = await openViews(url(), viewsOptions)
  await assert.rejects(
    views
      .inSnapshot(() =>
        views.columns({ schema: 'chancery_out', name: 'nation"; delete from nations; --', key: 'id' }),
      )
      .then(columns => {
        assert.deepEqual(columns, [])
        throw new Error('no columns')
      }),
    /no columns/,
  )
  const other = join(folder, 'restored.db')
  new DatabaseSync(other).close()
  await rename(path(), join(folder, 'former.db'))
  await rename(other, path())
  await assert.rejects(
    views.inSnapshot(async () => {}),
    GameUnavailableError,
  )
  await views.close()
  await rename(join(folder, 'former.db'), path())
})

test('a missing file is waited for, and another kind of file is named', async () => {
  await assert.rejects(openViews(`sqlite:${join(folder, 'none.db')}`, viewsOptions), GameUnavailableError)
  await writeFile(join(folder, 'text.db'), 'not a database, but long enough to look like a page of one')
  await assert.rejects(
    openViews(`sqlite:${join(folder, 'text.db')}`, viewsOptions).then(views =>
      views.relations('chancery_out'),
    ),
    (err: Error) => err instanceof ConnectError && /not a SQLite database/.test(err.message),
  )
})

test('the check names a journal mode in which the game waits', async () => {
  const file = join(folder, 'journal.db')
  const db = new DatabaseSync(file)
  db.exec("create view chancery_out_nation as select 'n1' as id, 'Only' as nation_name")
  const found = await check(`sqlite:${file}`)
  assert.deepEqual([found.refused, found.views], [[], { nation: 1 }])
  assert.match(found.notes.join(), /the journal mode is delete: .* pragma journal_mode = wal/)
  db.close()
})

test('the SQL templates run unchanged, and the puller accepts their views', async () => {
  const whole = viewTemplates(contract, 'templates', [...factResources], 'sqlite')
  for (const [index, sql] of [whole, whole.replace(/^ {2}-- , null/gm, '  , null')].entries()) {
    const file = join(folder, `templates-${index}.db`)
    const db = new DatabaseSync(file)
    db.exec(sql)
    const views = await openViews(`sqlite:${file}`, viewsOptions)
    await assertReadsTemplates(views, 'templates')
    await views.close()
    db.close()
  }
})

test('rows of touched keys are sent without reading the others, and the keys are deleted', () =>
  withPuller(async manual => {
    game.exec(`${touchedSql('chancery_out', 'sqlite')}
      create trigger touched_update after update on nations begin
        insert into chancery_out_touched (resource, id) values ('nation', new.id); end;
      create trigger touched_delete after delete on nations begin
        insert into chancery_out_touched (resource, id) values ('nation', old.id); end;`)
    await manual.round()
    game.exec("insert into nations (id, name) values (71, 'Unseen')")
    game.exec("update nations set motto = 'touched' where id in (11, 12); delete from nations where id = 13")
    const report = await manual.round()
    assert.deepEqual(
      [report?.views.nation?.new, report?.views.nation?.changed, report?.views.nation?.deleted],
      [0, 2, 1],
    )
    assert.deepEqual(
      { ...game.prepare('select count(*) as count from chancery_out_touched').get() },
      { count: 0 },
    )
    assert.equal((await read('/nations/12')).motto, 'touched')
    assert.equal(await statusOf('/nations/13'), 404)
    assert.equal(await statusOf('/nations/71'), 404)
    game.exec('drop trigger touched_update; drop trigger touched_delete; drop table chancery_out_touched')
  }))

test('a file that is missing for a moment is unavailable, and no mistake', async () => {
  const file = join(folder, 'moved.db')
  new DatabaseSync(file).close()
  const views = await openViews(`sqlite:${file}`, viewsOptions)
  await rename(file, `${file}.moved`)
  await assert.rejects(views.tryLock('pull'), GameUnavailableError)
  await assert.rejects(
    views.inSnapshot(async () => undefined),
    GameUnavailableError,
  )
  await views.close()
})

test('the views of examples/connect-unknown-horizons fit their profile', async () => {
  const file = join(folder, 'horizons.db')
  const db = new DatabaseSync(file)
  // The columns that the views use, as the game declares them.
  db.exec(`pragma journal_mode = wal;
    create table player (name text not null, client_id text, is_trader bool not null default (0), is_pirate bool not null default (0),
      settler_level int not null);
    create table settlement (island int not null, owner int not null);
    create table storage (object int not null, resource int not null, amount int not null);
    create table unit (type int not null, owner int not null);
    create table diplomacy_allies (player1 int, player2 int);
    insert into player (rowid, name, client_id, is_trader, settler_level) values (1, 'Trader', null, 1, 0), (7, 'Élise', 'c7', 0, 3), (8, 'Jan', 'c8', 0, 0);
    insert into settlement (rowid, island, owner) values (20, 4, 7), (21, 5, 7);
    insert into storage values (7, 1, 1500), (20, 4, 30), (21, 4, 12), (21, 6, 5);
    insert into unit values (1000001, 7); insert into diplomacy_allies values (7, 8), (1, 8)`)
  const facts = await factsOfExample('connect-unknown-horizons', {
    url: `sqlite:${file}`,
    schema: 'horizons',
    createViews: async sql => db.exec(sql),
  })
  db.close()
  assert.deepEqual(
    facts.map(({ data }) => data),
    [
      {
        id: '7',
        nation_name: 'Élise',
        leader_name: 'Élise',
        national_score: 3,
        city_count: 2,
        player: 'c7',
        attributes: { ships: 1 },
        economy: { credits: 1500, resources: { boards: 42, tools: 5, bricks: 0 } },
      },
      {
        id: '8',
        nation_name: 'Jan',
        leader_name: 'Jan',
        national_score: 0,
        city_count: 0,
        player: 'c8',
        attributes: { ships: 0 },
        economy: { credits: 0, resources: { boards: 0, tools: 0, bricks: 0 } },
      },
      { id: '7-8', nation_ids: ['7', '8'], type: 'alliance' },
    ],
  )
})
