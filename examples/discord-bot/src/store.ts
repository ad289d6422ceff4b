import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Who gets a role: all who are verified, the members of an alliance, or those of one rank in it. */
export interface Rule {
  role: string
  allianceId: string | null
  /** Key of the rank. */
  rank: string | null
}

/** An account that holds a nation, as last read. */
export interface Link {
  guild: string
  account: string
  nationId: string
  /** Null after a redaction, until the nation is read again. */
  nationName: string | null
  allianceId: string | null
  rank: string | null
}

export type Store = ReturnType<typeof openStore>

const tables = `
  create table if not exists rule (guild text not null, role text not null, allianceId text, rank text);
  create unique index if not exists rule_once on rule (guild, role, ifnull(allianceId, ''), ifnull(rank, ''));
  create table if not exists link (
    guild text not null, account text not null, nationId text not null, nationName text, allianceId text, rank text,
    primary key (guild, account), unique (guild, nationId)
  );
  create index if not exists link_nation on link (nationId);
  create table if not exists news_channel (guild text primary key, channel text not null);
  create table if not exists position (only integer primary key check (only = 1), seq integer not null);`

/** The bot's data, in a SQLite file or in `:memory:`. */
export function openStore(path: string) {
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal; ${tables}`)
  // Each query selects the members of the type that it is read as.
  const rows = <T>(sql: string, ...values: SQLInputValue[]) => database.prepare(sql).all(...values) as T[]
  const run = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).run(...values)
  const write = (sql: string, link: Link) => database.prepare(sql).run({ ...link })

  return {
    addRule(guild: string, { role, allianceId, rank }: Rule): void {
      run('insert or ignore into rule values (?, ?, ?, ?)', guild, role, allianceId, rank)
    },
    /** Returns how many rules gave the role. */
    deleteRules: (guild: string, role: string) =>
      Number(run('delete from rule where guild = ? and role = ?', guild, role).changes),
    rules: (guild: string) =>
      rows<Rule>('select role, allianceId, rank from rule where guild = ? order by rowid', guild),

    /** Returns the links of this account and of this nation that it replaces. */
    link(link: Link): Link[] {
      const { guild, account, nationId } = link
      const others = 'guild = ? and (account = ? or nationId = ?)'
      const replaced = rows<Link>(`delete from link where ${others} returning *`, guild, account, nationId)
      write('insert into link values ($guild, $account, $nationId, $nationName, $allianceId, $rank)', link)
      return replaced
    },
    /** Does nothing if the link is gone. */
    update(link: Link): void {
      const set = 'update link set nationName = $nationName, allianceId = $allianceId, rank = $rank'
      write(`${set} where guild = $guild and account = $account and nationId = $nationId`, link)
    },
    unlink: (guild: string, account: string) =>
      void run('delete from link where guild = ? and account = ?', guild, account),
    links: () => rows<Link>('select * from link order by guild, account'),
    linksOfGuild: (guild: string) => rows<Link>('select * from link where guild = ? order by account', guild),
    linksOfNation: (id: string) => rows<Link>('select * from link where nationId = ? order by guild', id),
    linksOfAlliance: (id: string) =>
      rows<Link>('select * from link where allianceId = ? order by guild, account', id),
    deleteNationName: (id: string) => void run('update link set nationName = null where nationId = ?', id),

    newsChannels: () => rows<{ guild: string; channel: string }>('select * from news_channel order by guild'),
    newsChannel: (guild: string) =>
      rows<{ channel: string }>('select channel from news_channel where guild = ?', guild)[0]?.channel,
    setNewsChannel(guild: string, channel: string | null): void {
      run('delete from news_channel where guild = ?', guild)
      if (channel !== null) run('insert into news_channel values (?, ?)', guild, channel)
    },
    /** When the bot was removed from it. */
    deleteGuild(guild: string): void {
      for (const table of ['rule', 'link', 'news_channel']) run(`delete from ${table} where guild = ?`, guild)
    },

    /** The last event that was handled. */
    position: () => rows<{ seq: number }>('select seq from position')[0]?.seq,
    setPosition(seq: number | undefined): void {
      run('delete from position')
      if (seq !== undefined) run('insert into position values (1, ?)', seq)
    },
    close: () => database.close(),
  }
}
