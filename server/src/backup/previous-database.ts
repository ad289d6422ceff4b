import { sequenceFloorAt } from '../ingest/continue-numbers.ts'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, raw, sql } from '../store/database.ts'

/** The state of a previous database that is carried over into the restored one, because the backup may be older. */
export interface PreviousDatabase {
  known: SequenceState
  redactions: LedgerEntry[]
  keys: { id: string; expires_at: string | null; revoked_at: string | null }[]
  suspensions: { player_id: string; suspended_at: string; note: string | null }[]
  tokens: { id: string; expires_at: string | null; revoked_at: string | null }[]
}

/** Whether the database never stored anything that a restore could overwrite. */
export async function isEmptyWorld(db: Database): Promise<boolean> {
  const found = await db.first<{ is_empty: boolean }>(sql`
    select not exists (select from chancery_secret.batch) and not exists (select from chancery_world.event)
      and not exists (select from chancery_access.api_key) and not exists (select from chancery_outbound.endpoint) as is_empty`)
  return found?.is_empty ?? true
}

export async function readPreviousDatabase(db: Database): Promise<PreviousDatabase> {
  // A database of an earlier version lacks some tables.
  const has = async (table: string) =>
    (await db.first<{ is_there: boolean }>(sql`select to_regclass(${table}) is not null as is_there`))
      ?.is_there
  return {
    known: await readSequences(db),
    redactions: (await has('chancery_secret.redaction'))
      ? await db.rows(sql`select op, at, fact from chancery_secret.redaction order by number`)
      : [],
    // A key that was replaced expires sooner than at the time of the backup.
    keys: await db.rows(sql`
      select id, expires_at, revoked_at from chancery_access.api_key where expires_at is not null or revoked_at is not null`),
    suspensions: (await has('chancery_access.suspension'))
      ? await db.rows(sql`select player_id, suspended_at, note from chancery_access.suspension`)
      : [],
    tokens: (await has('chancery_access.operator_token'))
      ? await db.rows(sql`select id, expires_at, revoked_at from chancery_access.operator_token`)
      : [],
  }
}

/** Applies later revocations: of keys, of suspended players and of operator tokens. */
export async function keepRevocations(db: Database, previous: PreviousDatabase): Promise<void> {
  const { keys, suspensions, tokens } = previous
  await db.rows(sql`
    update chancery_access.api_key k
    set expires_at = least(k.expires_at, o.expires_at), revoked_at = coalesce(k.revoked_at, o.revoked_at)
    from json_to_recordset(${JSON.stringify(keys)}::json) as o (id text, expires_at timestamptz, revoked_at timestamptz)
    where k.id = o.id`)
  await db.rows(sql`
    insert into chancery_access.suspension (player_id, suspended_at, note)
    select player_id, suspended_at, note
    from json_to_recordset(${JSON.stringify(suspensions)}::json) as o (player_id text, suspended_at timestamptz, note text)
    on conflict do nothing`)
  await db.rows(sql`
    update chancery_access.operator_token t set expires_at = o.expires_at, revoked_at = coalesce(t.revoked_at, o.revoked_at)
    from json_to_recordset(${JSON.stringify(tokens)}::json) as o (id text, expires_at timestamptz, revoked_at timestamptz)
    where t.id = o.id`)
}

/** Counters that processes and clients have seen: the newest numbers of events and changes, and the versions that invalidate caches. */
export interface SequenceState {
  seq: number
  world_version: number
  access_version: number
  change_seq: number
}

async function readSequences(db: Database): Promise<SequenceState> {
  const known = await db.first<SequenceState>(sql`
    select w.seq, w.world_version, a.version as access_version,
      -- Version 0.2 has none.
      coalesce((to_jsonb(w) ->> 'change_seq')::bigint, 0) as change_seq
    from chancery_world.pulse w, chancery_access.pulse a`)
  if (!known) throw new Error('chancery_world.pulse has no row')
  return known
}

/**
 * Raises the event number and the cache versions of a restored database above everything that it, or the database that it replaces, can have
 * used. Returns the number of the next event.
 */
export async function advanceSequences(
  db: Database,
  nowMs: number,
  previous?: SequenceState,
): Promise<number> {
  const restored = await readSequences(db)
  const time = sequenceFloorAt(nowMs)
  const above = (name: keyof SequenceState) => Math.max(restored[name] + 1, (previous?.[name] ?? 0) + 1, time)
  // The last number of the gap belongs to no event: a client that starts after the restore has it as its cursor.
  const seq = above('seq')
  await db.rows(sql`
    insert into chancery_world.log_gap (last_before, first_after) values (${restored.seq}, ${seq + 1})
    on conflict (last_before) do update set first_after = excluded.first_after`)
  await db.rows(sql`update chancery_world.pulse set seq = ${seq}, world_version = ${above('world_version')},
    change_seq = ${above('change_seq')}, change_floor = ${above('change_seq')}, unranked_since = clock_timestamp()`)
  for (const table of ['change', 'change_block', 'change_day', 'snapshot', 'snapshot_chunk'])
    await db.rows(sql`delete from ${raw(`chancery_world.${table}`)}`)
  await db.rows(sql`update chancery_access.pulse set version = ${above('access_version')}`)
  // World version 0 was never ranked: a ranking round is due. Until then the lists have the rows that the backup has.
  await db.rows(sql`
    update chancery_world.ranking_round set world_version = 0,
      nations = coalesce((select max(position) from chancery_world.nation_ranking where rank is not null), 0),
      alliances = coalesce((select max(position) from chancery_world.alliance_ranking where rank is not null), 0)`)
  return seq + 1
}
