import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { asAdministrator } from '../../server/test/support/database-url.ts'
import { touchedSql } from '../src/pull/touched-sql.ts'
import type { DialectName } from '../src/pull/view-templates.ts'
import { startMariaDb } from './mariadb.ts'

/** A game in one of the databases, with the same tables and views in each, which a trial changes and whose database it stops. */
export interface TrialGame {
  url: string
  /** Runs statements; rows of the last one. Rejects while the database is stopped. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /**
   * The view of a resource is gone, or cannot be read, until `restoreView`. These three can be repeated: an outage may come when a
   * statement is partly done, or done but not confirmed.
   */
  breakView: string
  restoreView: string
  /** Adds the table of touched keys, and triggers on all tables. */
  touch: string
  /** The database is not available for a moment. */
  stop(): Promise<void>
  close(): Promise<void>
}

const pauseMs = () => 100 + Math.random() * 400

const tables = `
  create table alliances (id integer primary key, name varchar(100));
  create table nations (id integer primary key, name varchar(100), score decimal(14, 2), gold bigint, motto text);
  create table members (nation integer primary key, alliance integer);
  create table wars (id integer primary key, attacker integer, defender integer, ended integer, reason text);`

/** `view` names a view; `quoted` names a column with a dot; `timeOf` makes a time of seconds. */
function views(
  view: (name: string) => string,
  quoted: (name: string) => string,
  from = '',
  timeOf = (of: string) => of,
) {
  const war = `create view ${view('war')} as
    select id, attacker as ${quoted('attacker.nation_id')}, defender as ${quoted('defender.nation_id')}, ${timeOf('1769904000')} as declared_at,
      ${timeOf('ended')} as ended_at, case when ended is null then 'active' else 'ended' end as status, reason from ${from}wars;`
  return {
    war,
    all: `create view ${view('alliance')} as select id, name from ${from}alliances;
      create view ${view('nation')} as
        select id, name as nation_name, score as national_score, motto, gold as ${quoted('attributes.prestige')} from ${from}nations;
      create view ${view('alliance_member')} as select nation as nation_id, alliance as alliance_id from ${from}members;
      ${war}`,
  }
}

const touchedKeys = {
  alliances: ['alliance', 'id'],
  nations: ['nation', 'id'],
  members: ['alliance_member', 'nation'],
  wars: ['war', 'id'],
}

/** Triggers for each row that insert keys into a table. */
const rowTriggers = (
  create: string,
  touched: string,
  from: string,
  body: (insert: string) => string,
): string =>
  Object.entries(touchedKeys)
    .flatMap(([table, [resource, key]]) =>
      ['insert', 'update', 'delete'].map(
        change =>
          `${create} trigger ${from}touched_${table}_${change} after ${change} on ${from}${table} for each row ${body(
            `insert into ${touched} (resource, id) values ('${resource}', ${change === 'delete' ? 'old' : 'new'}.${key})`,
          )};`,
      ),
    )
    .join('\n')

export const trialGames: Record<DialectName, () => Promise<TrialGame>> = {
  async postgresql() {
    const database = await createTestDatabase()
    const { url } = database
    const name = new URL(url).pathname.slice(1)
    const { war, all } = views(
      view => `chancery_out.${view}`,
      column => `"${column}"`,
      '',
      of => `to_timestamp(${of})`,
    )
    let client: pg.Client | undefined
    const query: TrialGame['query'] = async sql => {
      try {
        if (!client) {
          client = new pg.Client({ connectionString: url })
          client.on('error', () => {})
          await client.connect()
        }
        const results = [await client.query(sql)].flat()
        return results.at(-1)?.rows ?? []
      } catch (err) {
        await client?.end().catch(() => undefined)
        client = undefined
        throw err
      }
    }
    await query(`${tables} create schema chancery_out; ${all}`)
    return {
      url,
      query,
      breakView: 'drop view if exists chancery_out.war',
      restoreView: war.replace('create view', 'create or replace view'),
      touch: `drop table if exists chancery_out.touched; drop function if exists chancery_out.touch() cascade;
        ${touchedSql('chancery_out', 'postgresql')}
        create function chancery_out.touch() returns trigger language plpgsql as $$ begin
          execute format('insert into chancery_out.touched (resource, id) values (%L, ($1).%I::text)', tg_argv[0], tg_argv[1])
            using case when tg_op = 'DELETE' then old else new end;
          return null;
        end $$;
        ${Object.entries(touchedKeys)
          .map(
            ([table, [resource, key]]) =>
              `create trigger touched after insert or update or delete on ${table} for each row execute function chancery_out.touch('${resource}', '${key}');`,
          )
          .join('\n')}`,
      async stop() {
        await asAdministrator(url, async admin => {
          const endsAt = performance.now() + pauseMs()
          while (performance.now() < endsAt) {
            await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
              name,
            ])
            await sleep(2)
          }
        })
      },
      async close() {
        await client?.end().catch(() => undefined)
        await database.drop()
      },
    }
  },

  async mysql() {
    const db = await startMariaDb()
    const { all } = views(
      view => `chancery_out.${view}`,
      column => `\`${column}\``,
      'game.',
    )
    await db.query(`create database game character set utf8mb4; use game; ${tables}
      create database chancery_out; ${all}
      create user reader@'127.0.0.1'; grant select, show view on chancery_out.* to reader@'127.0.0.1'`)
    return {
      url: db.urlOf('reader'),
      // The results of all statements; rows of the last one.
      query: async sql =>
        ((await db.query(`use game; ${sql}`)).at(-1) ?? []) as unknown as Record<string, unknown>[],
      breakView: 'alter table game.wars rename column if exists reason to why',
      restoreView: 'alter table game.wars rename column if exists why to reason',
      touch: `drop table if exists chancery_out.touched; ${touchedSql('chancery_out', 'mysql')}
        grant select, delete on chancery_out.touched to reader@'127.0.0.1';
        ${rowTriggers('create or replace', 'chancery_out.touched', 'game.', insert => insert)}`,
      async stop() {
        await db.kill()
        await sleep(pauseMs())
        await db.start()
      },
      close: () => db.close(),
    }
  },

  async sqlite() {
    const parent = await mkdtemp(join(tmpdir(), 'chancery-trial-'))
    const folder = join(parent, 'game')
    await mkdir(folder)
    const db = new DatabaseSync(join(folder, 'game.db'))
    const { war, all } = views(
      view => `chancery_out_${view}`,
      column => `"${column}"`,
    )
    db.exec(`pragma journal_mode = wal; pragma busy_timeout = 5000; ${tables} ${all}`)
    return {
      url: `sqlite:${join(folder, 'game.db')}`,
      async query(sql) {
        if (/^select/.test(sql)) return db.prepare(sql).all()
        db.exec(sql)
        return []
      },
      breakView: 'drop view chancery_out_war',
      restoreView: war,
      touch: `${touchedSql('chancery_out', 'sqlite')}
        ${rowTriggers('create', 'chancery_out_touched', '', insert => `begin ${insert}; end`)}`,
      async stop() {
        await rename(folder, join(parent, 'away'))
        await sleep(pauseMs())
        await rename(join(parent, 'away'), folder)
      },
      async close() {
        db.close()
        await rm(parent, { recursive: true })
      },
    }
  },
}
