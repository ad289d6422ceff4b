import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { factResources } from '@chancery/contract'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { ConnectError, GameUnavailableError } from '../src/errors.ts'
import { openViews } from '../src/game-database/open-views.ts'
import { touchedSql } from '../src/pull/touched-sql.ts'
import { ViewReader } from '../src/pull/view-reader.ts'
import { viewTemplates } from '../src/pull/view-templates.ts'
import { assertReadsTemplates, factsOfExample, pullsFrom, viewsOptions } from './fixture.ts'
import { type MariaDb, skip, smallMysqlGame, startMariaDb } from './mariadb.ts'
import { contract } from './service-client.ts'

const withoutOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed'

describe('a game with MariaDB', { skip }, () => {
  const chancery = useTestServer()
  let db: MariaDb
  before(async () => {
    db = await startMariaDb()
    await db.query(smallMysqlGame)
  })
  after(() => db.close())

  const url = () => db.urlOf('reader')
  const { read, statusOf, withPuller, check } = pullsFrom(chancery, url)

  /** The fact of a view of the nation with one row. */
  async function factOf(select: string, resource: 'nation' | 'war' = 'nation'): Promise<unknown> {
    await db.query(
      `create database probe; create view probe.${resource} as select ${select}; grant select on probe.* to reader@'127.0.0.1'`,
    )
    const views = await openViews(url(), viewsOptions)
    try {
      const reader = new ViewReader(views, contract, 'probe')
      return await reader.inSnapshot(async () => {
        const view = await reader.read(resource)
        if ('reason' in view) return view.reason
        const [line = ''] = (await reader.putLines(view, [...view.hashes.keys()])).values()
        return JSON.parse(line).data
      })
    } finally {
      await views.close()
      await db.query('drop database probe')
    }
  }

  test('the first round sends everything, later ones the changes', () =>
    withPuller(async manual => {
      const many = Array.from({ length: 30 }, (_, index) => [
        index + 1,
        `Nation ${index + 1}`,
        index + 0.25,
        index * 10,
      ])
      await db.query('insert into game.nations (id, name, score, gold) values ?', [many])
      const first = await manual.round()
      assert.deepEqual([first?.views.nation?.new, first?.views.nation?.is_whole], [30, true])
      const nation = await read('/nations/7')
      assert.deepEqual(
        [nation.nation_name, nation.national_score, nation.founded_at],
        ['Nation 7', 6.25, '2026-01-01T00:00:00Z'],
      )
      assert.equal(await manual.round(), undefined, 'nothing has changed')
      await db.query(`insert into game.alliances values (900, 'Pact'); insert into game.members values (1, 900), (2, 900);
        insert into game.wars (id, attacker, defender) values (500, 3, 4);
        update game.nations set motto = 'Größe 100 %' where id = 5; delete from game.nations where id = 9`)
      const second = await manual.round()
      assert.deepEqual(
        Object.entries(second?.views ?? {}).map(([name, view]) => [
          name,
          view.new,
          view.changed,
          view.deleted,
        ]),
        [
          ['alliance', 1, 0, 0],
          ['nation', 0, 1, 1],
          ['alliance_member', 2, 0, 0],
          ['war', 1, 0, 0],
        ],
      )
      assert.equal((await read('/nations/5')).motto, 'Größe 100 %')
      assert.equal((await read('/wars/500')).declared_at, '2026-02-01T00:00:00Z')
      assert.equal(await statusOf('/nations/9'), 404)
    }))

  test('values of every type become those of the contract', async () => {
    const fact = await factOf(`
      18446744073709551615 as id, 'Aurelia' as nation_name, cast(12.50 as decimal(12, 2)) as national_score,
      1779235200 as founded_at, cast(0 as unsigned) as land_area,
      '{"credits": 9007199254740991, "resources": {"food": 3}}' as economy, 'M\u00fcnchen \u2603' as motto`)
    assert.deepEqual(fact, {
      id: '18446744073709551615',
      nation_name: 'Aurelia',
      national_score: 12.5,
      founded_at: '2026-05-20T00:00:00Z',
      land_area: 0,
      economy: { credits: 9007199254740991, resources: { food: 3 } },
      motto: 'München ☃',
    })
  })

  test('a zero date, zero seconds and null are no value; milliseconds are a time', async () => {
    const war = async (text: string) =>
      ((await factOf(`1 as id, ${text} as ended_at`, 'war')) as Record<string, unknown>).ended_at
    await db.query('create table game.zero (at datetime not null, stamp timestamp null, days date)')
    await db.query(
      "set sql_mode = ''; insert into game.zero values ('0000-00-00 00:00:00', '2026-05-20 10:00:00', '2026-05-21')",
    )
    assert.equal(await war('(select at from game.zero)'), null)
    assert.equal(await war('(select days from game.zero)'), '2026-05-21T00:00:00Z')
    assert.equal(await war('0'), null)
    assert.equal(await war('null'), null)
    assert.equal(await war('1779235200000'), '2026-05-20T00:00:00Z')
    // Inserted in the zone of the server, five hours ahead.
    assert.equal(await war('(select stamp from game.zero)'), '2026-05-20T05:00:00Z')
  })

  test('numbers of one digit are booleans where a field is one', async () => {
    const views = await openViews(url(), viewsOptions)
    await db.query(`create database flags; create table flags.t (a tinyint(1), b bit(1)); insert into flags.t values (1, b'0');
      create view flags.alliance as select 1 as id, 'Pact' as name, a as recruiting from flags.t; grant select on flags.* to reader@'127.0.0.1'`)
    const reader = new ViewReader(views, contract, 'flags')
    const recruiting = () =>
      reader.inSnapshot(async () => {
        const view = await reader.read('alliance')
        assert.ok('hashes' in view)
        return JSON.parse([...(await reader.putLines(view, ['1'])).values()][0] ?? '').data.recruiting
      })
    assert.equal(await recruiting(), true)
    await db.query(
      `create or replace view flags.alliance as select 1 as id, 'Pact' as name, b as recruiting from flags.t`,
    )
    assert.equal(await recruiting(), false)
    await views.close()
    await db.query('drop database flags')
  })

  test('rows that differ only in where a value ends have other hashes', async () => {
    await db.query(`create database edge; create table edge.t (id int, nation_name varchar(20), motto varchar(20));
      insert into edge.t values (1, 'a,1:b', 'c'), (2, 'a', '1:b,c'), (3, 'a', null), (4, 'a', '-'), (5, 'a', '');
      create view edge.nation as select * from edge.t; grant select on edge.* to reader@'127.0.0.1'`)
    const views = await openViews(url(), viewsOptions)
    const columns = ['nation_name', 'motto'].map(name => ({ name, type: 'varchar', category: 's' }))
    const rows = await views.hashes({ schema: 'edge', name: 'nation', key: 'id' }, columns, 'all')
    assert.equal(new Set(rows.map(([, hash]) => hash)).size, 5)
    await views.close()
    await db.query('drop database edge')
  })

  test('a round sees one moment of all tables', async () => {
    const views = await openViews(url(), viewsOptions)
    const reader = new ViewReader(views, contract, 'chancery_out')
    const [nations, wars] = await reader.inSnapshot(async () => {
      const nation = await reader.read('nation')
      await db.query(
        "insert into game.nations (id, name) values (70, 'Late'); insert into game.wars (id, attacker, defender) values (570, 70, 3)",
      )
      return [nation, await reader.read('war')]
    })
    assert.ok(nations && wars && 'hashes' in nations && 'hashes' in wars)
    assert.deepEqual([nations.hashes.has('70'), wars.hashes.has('570')], [false, false])
    await views.close()
  })

  test('an invalid row is quarantined and leaves the list when it is corrected', () =>
    withPuller(async manual => {
      await db.query(
        "insert into game.nations (id, name, score) values (80, 'Bad', -1), (81, 'Good', 1); update game.nations set motto = repeat('x', 5000) where id = 80",
      )
      const report = await manual.round()
      assert.deepEqual(
        report?.refused.map(({ key, path }) => [key, path]),
        [['80', '/data/motto']],
      )
      assert.equal(await statusOf('/nations/81'), 200)
      await db.query("update game.nations set motto = 'short' where id = 80")
      await manual.round()
      assert.equal((await read('/nations/80')).motto, 'short')
    }))

  test('a view whose table has lost a column cannot be read; the others continue', () =>
    withPuller(async manual => {
      await manual.round()
      await db.query(
        "alter table game.wars rename column reason to why; update game.nations set motto = 'still' where id = 6",
      )
      await manual.round()
      assert.match(
        manual.messages.join('\n'),
        /chancery_out\.war cannot be read and is skipped: .*invalid table/,
      )
      assert.equal((await read('/nations/6')).motto, 'still')
      assert.equal(await statusOf('/wars/500'), 200)
      await db.query('alter table game.wars rename column why to reason')
      await manual.round()
      assert.match(manual.messages.join('\n'), /resolved: chancery_out\.war cannot be read/)
    }))

  test('deletions of more than a tenth are held back, and everything else is sent', () =>
    withPuller(
      async manual => {
        await manual.round()
        await db.query(
          "create table game.saved as select * from game.nations; delete from game.nations where id between 10 and 30; update game.nations set motto = 'sent' where id = 8",
        )
        const report = await manual.round()
        assert.equal(report?.views.nation?.held_back, 21)
        assert.equal((await read('/nations/8')).motto, 'sent')
        assert.equal(await statusOf('/nations/20'), 200)
        await db.query('insert into game.nations select * from game.saved where id between 10 and 30')
        await manual.round()
        assert.match(
          manual.messages.join('\n'),
          /resolved: no deletions of chancery_out\.nation are held back/,
        )
      },
      { allowsDeletes: false },
    ))

  test('one puller at a time has the lock, and its end releases it', async () => {
    const open = () => openViews(url(), viewsOptions)
    const [first, second] = [await open(), await open()]
    assert.equal(await first.tryLock('pull chancery_out'), true)
    assert.equal(await second.tryLock('pull chancery_out'), false)
    await first.close()
    for (let attempts = 0; !(await second.tryLock('pull chancery_out')); attempts += 1)
      assert.ok(attempts < 100)
    await second.close()
  })

  test('the user of the pull can only read', async () => {
    const views = await openViews(url(), viewsOptions)
    await assert.rejects(
      views.columns({ schema: 'game', name: 'nations', key: 'id' }),
      (err: Error) => err instanceof ConnectError && /SELECT command denied/i.test(err.message),
    )
    await views.close()
  })

  test('a wrong user, address or parameter is named, without the password', async () => {
    const open = (address: string) => openViews(address, viewsOptions)
    const host = `127.0.0.1:${db.port}`
    await assert.rejects(open(`mysql://intruder:secret-word@${host}/`), (err: Error) => {
      assert.doesNotMatch(err.message, /secret-word/)
      return err instanceof ConnectError && /cannot log in/.test(err.message)
    })
    await assert.rejects(open('mysql://reader@127.0.0.1:9/'), GameUnavailableError)
    await assert.rejects(open(`mysql://reader@${host}/?tls=1`), /unknown parameter tls/)
    await assert.rejects(open(`mysql://reader@${host}/?ssl-mode=maybe`), /ssl-mode=MAYBE: use DISABLED/)
  })

  test('the check finds every wrong row, and stores nothing', async () => {
    await db.query("insert into game.nations (id, name, motto) values (90, 'Wrong', repeat('y', 5000))")
    const found = await check()
    assert.deepEqual(
      found.refused.map(({ key }) => key),
      ['90'],
    )
    await db.query('delete from game.nations where id = 90')
  })

  test('the check names tables without transactions, and texts that players would not want to see', async () => {
    await db.query(`create table game.old (id int primary key, name varchar(100)) engine = MyISAM;
      insert into game.nations (id, name) values (91, 'Tom &amp; Jerry'), (92, 'MÃ¼nchen'), (93, 'Br&auml;u'); grant select on game.old to reader@'127.0.0.1'`)
    const found = await check()
    assert.deepEqual(found.refused, [])
    assert.match(found.notes[0] ?? '', /^the table game\.old uses MyISAM/)
    assert.match(found.notes[1] ?? '', /2 rows contain HTML entities.*\(nation 91: &amp;\)/)
    assert.match(found.notes[2] ?? '', /1 row contains UTF-8 that was stored as Latin-1 .*\(nation 92: /)
    await db.query('delete from game.nations where id in (91, 92, 93); drop table game.old')
  })

  test('the SQL templates run unchanged, and the puller accepts their views', async () => {
    const whole = viewTemplates(contract, 'templates', [...factResources], 'mysql')
    for (const sql of [whole, whole.replace(/^ {2}-- , cast/gm, '  , cast')]) {
      await db.query(`${sql}\ngrant select on templates.* to reader@'127.0.0.1'`)
      const views = await openViews(url(), viewsOptions)
      await assertReadsTemplates(views, 'templates')
      await views.close()
      await db.query('drop database templates')
    }
  })

  /** The facts of an example, whose views are in a database of their own. */
  const factsOfGame = (name: string, tables: string) =>
    factsOfExample(name, {
      url: url(),
      schema: 'example_out',
      createViews: async sql => {
        await db.query('drop database if exists example_out')
        await db.query(`${tables}; ${sql}\ngrant select on example_out.* to reader@'127.0.0.1'`)
      },
    })

  test('the views of examples/connect-travianz fit their profile', async () => {
    const facts = await factsOfGame(
      'connect-travianz',
      `create database travian character set latin1; use travian;
      create table s1_users (id int primary key, username varchar(100), access tinyint(1), tribe tinyint(1), protect int, regtime int,
        apall int, dpall int, gold int, alliance int, alliance_joined int);
      create table s1_vdata (wref int primary key, owner int, pop int, wood float(12,2), clay float(12,2), iron float(12,2), crop float(12,2));
      create table s1_alidata (id int primary key, name varchar(100), tag varchar(100), \`desc\` text, leader int);
      create table s1_ali_permission (id int primary key, uid int, alliance int, opt1 int(1), opt2 int(1), opt3 int(1), opt4 int(1));
      create table s1_diplomacy (id int primary key, alli1 int, alli2 int, type tinyint(1), accepted tinyint(1));
      insert into s1_users values (6, 'Größe', 2, 1, 0, 1770000000, 5, 6, 7, 1, 0), (7, 'Teuton', 0, 2, 0, 1770000060, 0, 0, 0, 1, 1779235200),
        (8, 'New', 2, 3, 2147483647, 1779235200, 0, 0, 0, 2, 0), (5, 'Natars', 2, 5, 0, 0, 0, 0, 0, 0, 0);
      insert into s1_vdata values (615, 6, 100, 1.5, 2.5, 3, 4), (1310, 6, 20, 1, 1, 1, 1);
      insert into s1_alidata values (1, 'First', 'F', '', 6), (2, 'Second', 'S', 'Hello', 8);
      insert into s1_ali_permission values (1, 7, 1, 1, 0, 0, 0); insert into s1_diplomacy values (1, 1, 2, 1, 1), (2, 1, 2, 3, 1), (3, 1, 2, 2, 0)`,
    )
    assert.equal(facts.length, 3 + 2 + 3 + 1)
    const { data } = facts.find(({ resource, data }) => resource === 'nation' && data.id === '6')
    assert.deepEqual(
      [data.nation_name, data.national_score, data.attributes.village_ids, data.economy.resources.wood],
      ['Größe', 120, ['615', '1310'], 2],
    )
    await db.query('drop database travian')
  })

  test('the views of examples/connect-2moons fit their profile, and show one universe', async () => {
    const facts = await factsOfGame(
      'connect-2moons',
      `create database moons character set utf8; use moons;
      create table uni1_users (id int unsigned primary key, username varchar(32), universe tinyint, authlevel tinyint, urlaubs_modus tinyint,
        bana tinyint, register_time int, ally_id int unsigned, ally_register_time int, ally_rank_id tinyint, wons int, loos int,
        desunits double(50,0), darkmatter double(50,0)) engine = MyISAM;
      create table uni1_statpoints (id_owner int, stat_type tinyint, universe tinyint, total_points double(50,0), fleet_points double(50,0));
      create table uni1_planets (id int auto_increment primary key, id_owner int, galaxy tinyint, \`system\` smallint, planet tinyint,
        planet_type enum('1','3'), destruyed int, metal double(50,6), crystal double(50,6), deuterium double(50,6));
      create table uni1_alliance (id int primary key, ally_name varchar(50), ally_tag varchar(20), ally_owner int, ally_register_time int,
        ally_description text, ally_universe tinyint, ally_request_notallow tinyint unsigned);
      create table uni1_alliance_ranks (rankID int primary key, allianceID int, ADMIN tinyint, MANAGEUSERS tinyint);
      create table uni1_diplo (id int primary key, owner_1 int, owner_2 int, level tinyint, accept tinyint, universe tinyint);
      create table uni1_topkb (rid varchar(32), result varchar(1), time int, universe tinyint);
      create table uni1_users_to_topkb (rid varchar(32), uid int, role tinyint);
      insert into uni1_users values (1, 'Admin', 1, 3, 0, 0, 1770000000, 0, 0, 0, 0, 0, 0, 0),
        (4, 'Größe', 1, 0, 1, 0, 1770000000, 1, 1771000000, 0, 5, 6, 7e12, 8), (5, 'Second', 1, 0, 0, 1, 0, 1, 0, 9, 0, 0, 0, 0),
        (6, 'Third', 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0), (7, 'Elsewhere', 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      insert into uni1_statpoints values (4, 1, 1, 1204, 33), (1, 2, 1, 99, 9);
      insert into uni1_planets values (null, 4, 3, 17, 11, '1', 0, 10.75, 1, 1), (null, 4, 1, 204, 8, '1', 0, 0.5, 1, 1),
        (null, 4, 1, 204, 8, '3', 0, 1, 1, 1), (null, 4, 1, 1, 1, '1', 1779000000, 500, 1, 1);
      insert into uni1_alliance values (1, 'First', 'F', 4, 1770000000, '', 1, 0), (2, 'Second', 'S', 6, 0, 'Hello', 1, 1);
      insert into uni1_alliance_ranks values (9, 1, 0, 1);
      insert into uni1_diplo values (1, 1, 2, 3, 1, 1), (2, 1, 2, 6, 1, 1), (3, 1, 2, 4, 0, 1), (4, 1, 2, 5, 1, 1);
      insert into uni1_topkb values ('r1', 'a', 1771000001, 1), ('r2', 'w', 1771000002, 2), ('r3', 'r', 1771000003, 1);
      insert into uni1_users_to_topkb values ('r1', 5, 1), ('r1', 4, 1), ('r1', 6, 2), ('r2', 7, 1), ('r2', 7, 2), ('r3', 4, 1), ('r3', 99, 2)`,
    )
    const of = (wanted: string) => facts.filter(({ resource }) => resource === wanted).map(({ data }) => data)
    assert.deepEqual(
      of('nation').map(({ id, status }) => [id, status]),
      [
        ['4', 'vacation'],
        ['5', 'inactive'],
        ['6', 'active'],
      ],
    )
    const [first] = of('nation')
    assert.deepEqual(
      [first.nation_name, first.national_score, first.city_count, first.attributes, first.economy],
      [
        'Größe',
        1204,
        2,
        {
          battles_won: 5,
          battles_lost: 6,
          units_destroyed: 7e12,
          fleet_points: 33,
          places: ['1:204:8', '3:17:11'],
        },
        { resources: { metal: 12, crystal: 3, deuterium: 3 }, credits: 8 },
      ],
    )
    assert.deepEqual(
      of('alliance_member').map(({ nation_id, rank }) => [nation_id, rank]),
      [
        ['4', 'leader'],
        ['5', 'officer'],
        ['6', 'leader'],
      ],
    )
    assert.deepEqual(of('treaty'), [{ id: '1', alliance_ids: ['1', '2'], type: 'trade' }])
    // A side whose players are gone has no battle.
    assert.deepEqual(of('battle'), [
      {
        id: 'r1',
        fought_at: '2026-02-13T16:26:41Z',
        attacker_nation_id: '4',
        defender_nation_id: '6',
        attacker_helper_nation_ids: ['5'],
        defender_helper_nation_ids: [],
        victor: 'attacker',
      },
    ])
    await db.query('drop database moons')
  })

  test('TLS verifies the authority and the name of the certificate', { skip: withoutOpenssl }, async () => {
    const cert = `${db.folder}/cert.pem`
    const made = spawnSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        `${db.folder}/key.pem`,
        '-out',
        cert,
        '-days',
        '2',
      ].concat(['-subj', '/CN=db.game.example', '-addext', 'subjectAltName=DNS:db.game.example']),
    )
    assert.equal(made.status, 0)
    await db.kill()
    await db.start()
    /** In a process of its own, which trusts the certificate. Names of game.example are this machine there. */
    const connect = (host: string, mode: string, trusts: boolean) =>
      spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `import dns from 'node:dns'
           const { lookup } = dns
           dns.lookup = (name, options, done) => lookup(name.endsWith('game.example') ? '127.0.0.1' : name, options, done)
           const { openViews } = await import(${JSON.stringify(new URL('../src/game-database/open-views.ts', import.meta.url).href)})
           const views = await openViews('mysql://reader@${host}:${db.port}/?ssl-mode=${mode}', { name: 'test', isReadOnly: true, idleTimeoutMs: 60000 })
             .catch(err => { console.log(err.name + ': ' + err.message); process.exit(0) })
           console.log('connected')
           await views.close()`,
        ],
        { encoding: 'utf8', env: { ...process.env, ...(trusts && { NODE_EXTRA_CA_CERTS: cert }) } },
      ).stdout.trim()
    const notTrusted = /^ConnectError: the certificate of the game's database is not trusted/
    assert.equal(connect('db.game.example', 'VERIFY_IDENTITY', true), 'connected')
    assert.equal(connect('db.game.example', 'REQUIRED', false), 'connected')
    assert.match(connect('db.game.example', 'VERIFY_IDENTITY', false), notTrusted)
    assert.match(connect('other.game.example', 'VERIFY_IDENTITY', true), notTrusted)
    assert.match(
      connect('127.0.0.1', 'VERIFY_IDENTITY', true),
      /^ConnectError: .* use the host name of the certificate/,
    )
  })

  test('a database that ends and comes back is waited for', () =>
    withPuller(async manual => {
      await manual.round()
      await db.kill()
      await assert.rejects(manual.round(), GameUnavailableError)
      await db.start()
    }))

  test('rows of touched keys are sent without reading the others, and the keys are deleted', () =>
    withPuller(async manual => {
      await db.query(`${touchedSql('chancery_out', 'mysql')}
        grant select, delete on chancery_out.touched to reader@'127.0.0.1'`)
      for (const [change, row] of [
        ['update', 'new'],
        ['delete', 'old'],
      ] as const)
        await db.query(`create trigger game.touched_${change} after ${change} on game.nations for each row
          insert into chancery_out.touched (resource, id) values ('nation', ${row}.id)`)
      await db.query(`insert into game.nations (id, name) values (61, 'A'), (62, 'B'), (63, 'C')`)
      await manual.round()
      await db.query(`insert into game.nations (id, name) values (64, 'Unseen')`)
      await db.query(`update game.nations set motto = 'touched' where id in (61, 62)`)
      await db.query('delete from game.nations where id = 63')
      const report = await manual.round()
      assert.deepEqual(
        [report?.views.nation?.new, report?.views.nation?.changed, report?.views.nation?.deleted],
        [0, 2, 1],
      )
      const [left] = (await db.query('select count(*) as count from chancery_out.touched')) as {
        count: number
      }[]
      assert.equal(Number(left?.count), 0)
      assert.equal((await read('/nations/62')).motto, 'touched')
      assert.equal(await statusOf('/nations/63'), 404)
      assert.equal(await statusOf('/nations/64'), 404)
      await db.query(
        'drop trigger game.touched_update; drop trigger game.touched_delete; drop table chancery_out.touched',
      )
    }))
})
