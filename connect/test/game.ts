import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { asAdministrator, withDatabase } from '../../server/test/support/database-url.ts'
import type { GameViews } from '../src/game-database/game-views.ts'
import { openViews } from '../src/game-database/open-views.ts'
import { Puller, type PullerOptions } from '../src/pull/puller.ts'
import type { RoundReport } from '../src/pull/round-result.ts'
import { touchedSql } from '../src/pull/touched-sql.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { contract } from './service-client.ts'

/** A game's own database, without anything of Chancery in it. */
export interface Game {
  url: string
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** A second session, for transactions that overlap. */
  session(): Promise<pg.Client>
  drop(): Promise<void>
}

/** On the database server of the service: for `before` of a test file. */
export async function createGame(serverUrl: string, setUp = ''): Promise<Game> {
  const name = `${new URL(serverUrl).pathname.slice(1)}_game_${randomBytes(3).toString('hex')}`
  await asAdministrator(serverUrl, client => client.query(`create database ${name} template template0`))
  const url = withDatabase(serverUrl, name)
  const clients: pg.Client[] = []
  const session = async () => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    clients.push(client)
    return client
  }
  const main = await session()
  await main.query(setUp)
  return {
    url,
    query: async (text, values) => (await main.query(text, values)).rows,
    session,
    async drop() {
      for (const client of clients) await client.end().catch(() => undefined)
      await asAdministrator(serverUrl, client => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** Tables as a game has them, with ids of its own kind, and views over them. */
export const smallGame = `
  create table alliances (id int primary key, name text);
  create table nations (id int primary key, name text, score numeric(12, 2) default 0, gold bigint, born timestamptz default '2026-01-01 00:00+00', motto text);
  create table members (nation int primary key, alliance int);
  create table wars (id int primary key, attacker int, defender int, declared timestamp default '2026-02-01 00:00', ended timestamp, reason text);
  create schema chancery_out;
  create view chancery_out.alliance as select id, name from alliances;
  create view chancery_out.nation as
    select id, name as nation_name, score as national_score, born as founded_at, motto, gold as "economy.credits" from nations;
  create view chancery_out.alliance_member as select nation as nation_id, alliance as alliance_id from members;
  create view chancery_out.war as
    select id, attacker as "attacker.nation_id", defender as "defender.nation_id", declared as declared_at, ended as ended_at,
      case when ended is null then 'active' else 'ended' end as status, reason from wars;
`

/** The views of some tables of the small game, and their keys. */
const touchedViews = {
  nations: ['nation', 'id'],
  members: ['alliance_member', 'nation'],
  wars: ['war', 'id'],
} as const

/** The table of touched keys, and triggers as the template shows them. */
export const touchedTriggers = (tables: (keyof typeof touchedViews)[]): string =>
  [
    touchedSql('chancery_out', 'postgresql'),
    ...tables.map(table => {
      const [resource, key] = touchedViews[table]
      const changes = (['insert', 'update', 'delete'] as const).map(
        change =>
          `create trigger chancery_touched_${change} after ${change} on ${table} referencing ${change === 'delete' ? 'old' : 'new'} table as changed
             for each statement execute function chancery_out.touch_${table}();`,
      )
      return `
        create function chancery_out.touch_${table}() returns trigger language plpgsql security definer set search_path = '' as $$
        begin
          insert into chancery_out.touched (resource, id) select '${resource}', ${key} from changed;
          return null;
        end $$;
        ${changes.join('')}`
    }),
  ].join('')

/** The small game with `nations` nations, whose ids begin after `start`. */
export async function createSmallGame(
  serverUrl: string,
  { start, nations }: { start: number; nations: number },
): Promise<Game> {
  const game = await createGame(serverUrl, smallGame)
  await game.query(
    `insert into nations (id, name, score, gold) select $1 + i, 'Nation ' || i, i, i * 10 from generate_series(1, $2::int) i`,
    [start, nations],
  )
  return game
}

/** A puller whose rounds a test starts. */
export interface ManualPuller {
  puller: Puller
  views: GameViews
  messages: string[]
  round(): Promise<RoundReport | undefined>
  close(): Promise<void>
}

export async function manualPuller(
  game: Pick<Game, 'url'>,
  client: ServiceClient,
  options: Partial<PullerOptions> = {},
): Promise<ManualPuller> {
  const views = await openViews(game.url, { name: 'test', isReadOnly: true, idleTimeoutMs: 60_000 })
  const messages: string[] = []
  const puller = new Puller({
    contract,
    client,
    schema: 'chancery_out',
    feed: 'pull',
    allowsDeletes: false,
    log: message => void messages.push(message),
    ...options,
  })
  return { puller, views, messages, round: () => puller.round(views), close: () => views.close() }
}
