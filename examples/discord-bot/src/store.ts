import { DatabaseSync } from 'node:sqlite'

/** Who gets a role: all who are verified, the members of an alliance, or those of one rank in it. */
export interface Rule {
  role: string
  allianceId: string | null
  /** Key of the rank, as in the game's words. */
  rank: string | null
}

/** That an account of a chat holds a nation, as it was when it was last looked at. */
export interface Link {
  guild: string
  account: string
  nationId: string
  /** Null once the game had its texts replaced, until it is read anew. */
  nationName: string | null
  allianceId: string | null
  rank: string | null
}

/** What the bot remembers: in a file, or with `:memory:` as long as it runs. */
export type Store = ReturnType<typeof openStore>

const tables = `
  create table if not exists rule (
    guild text not null, role text not null, alliance_id text, rank text
  );
  create unique index if not exists rule_once
    on rule (guild, role, ifnull(alliance_id, ''), ifnull(rank, ''));
  create table if not exists link (
    guild text not null, account text not null, nation_id text not null,
    nation_name text, alliance_id text, rank text,
    primary key (guild, account), unique (guild, nation_id)
  );
  create index if not exists link_nation on link (nation_id);
  create table if not exists news_channel (guild text primary key, channel text not null);
  create table if not exists position (only integer primary key check (only = 1), seq integer not null);
  create table if not exists seen_event (id text primary key, seen_at integer not null);
`

/** How long ids of events are kept; the service's last retry comes within 5 days. */
const seenSeconds = 7 * 86_400

export function openStore(path: string, now = () => new Date()) {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal')
  database.exec(tables)
  const seconds = () => Math.floor(now().getTime() / 1000)
  const rows = <T>(sql: string, ...values: (string | number | null)[]): T[] =>
    // Each query names exactly the members of the shape that it is read as.
    database.prepare(sql).all(...values) as T[]
  const run = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values)

  const linkColumns =
    'guild, account, nation_id as nationId, nation_name as nationName, alliance_id as allianceId, rank'

  return {
    addRule(guild: string, { role, allianceId, rank }: Rule): void {
      run('insert or ignore into rule values (?, ?, ?, ?)', guild, role, allianceId, rank)
    },
    /** How many rules gave this role. */
    forgetRole: (guild: string, role: string): number =>
      Number(run('delete from rule where guild = ? and role = ?', guild, role).changes),
    rules: (guild: string): Rule[] =>
      rows('select role, alliance_id as allianceId, rank from rule where guild = ? order by rowid', guild),

    /** Keeps a link. Whoever held the nation or was linked before is returned, and is linked no more. */
    link(of: Link): Link[] {
      const { guild, account, nationId, nationName, allianceId, rank } = of
      const former = rows<Link>(
        `delete from link where guild = ? and (account = ? or nation_id = ?) returning ${linkColumns}`,
        guild,
        account,
        nationId,
      )
      run(
        'insert into link values (?, ?, ?, ?, ?, ?)',
        guild,
        account,
        nationId,
        nationName,
        allianceId,
        rank,
      )
      return former
    },
    /** What changed of a link; nothing where it is gone, or is another nation's by now. */
    update({ guild, account, nationId, nationName, allianceId, rank }: Link): void {
      run(
        'update link set nation_name = ?, alliance_id = ?, rank = ? where guild = ? and account = ? and nation_id = ?',
        nationName,
        allianceId,
        rank,
        guild,
        account,
        nationId,
      )
    },
    unlink(guild: string, account: string): void {
      run('delete from link where guild = ? and account = ?', guild, account)
    },
    links: (): Link[] => rows(`select ${linkColumns} from link order by guild, account`),
    linksOfGuild: (guild: string): Link[] =>
      rows(`select ${linkColumns} from link where guild = ? order by account`, guild),
    linksOfNation: (nationId: string): Link[] =>
      rows(`select ${linkColumns} from link where nation_id = ? order by guild`, nationId),
    linksOfAlliance: (allianceId: string): Link[] =>
      rows(`select ${linkColumns} from link where alliance_id = ? order by guild, account`, allianceId),
    forgetNationName(nationId: string): void {
      run('update link set nation_name = null where nation_id = ?', nationId)
    },

    newsChannels: (): { guild: string; channel: string }[] =>
      rows('select guild, channel from news_channel order by guild'),
    newsChannel: (guild: string): string | undefined =>
      rows<{ channel: string }>('select channel from news_channel where guild = ?', guild)[0]?.channel,
    setNewsChannel(guild: string, channel: string | null): void {
      run('delete from news_channel where guild = ?', guild)
      if (channel !== null) run('insert into news_channel values (?, ?)', guild, channel)
    },

    /** All that is kept of a guild that the bot was taken out of. */
    forgetGuild(guild: string): void {
      for (const table of ['rule', 'link', 'news_channel']) run(`delete from ${table} where guild = ?`, guild)
    },

    /** How far the log of events has been read. */
    position: (): number | undefined => rows<{ seq: number }>('select seq from position')[0]?.seq,
    setPosition(seq: number): void {
      run('insert into position values (1, ?) on conflict (only) do update set seq = excluded.seq', seq)
    },
    forgetPosition(): void {
      run('delete from position')
    },
    hasSeen: (eventId: string): boolean => rows('select id from seen_event where id = ?', eventId).length > 0,
    keepSeen(eventId: string): void {
      run('delete from seen_event where seen_at < ?', seconds() - seenSeconds)
      run('insert or ignore into seen_event values (?, ?)', eventId, seconds())
    },

    close: () => database.close(),
  }
}
