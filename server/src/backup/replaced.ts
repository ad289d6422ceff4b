import type { LedgerEntry } from '../redaction/ledger-file.ts'
import { type Database, sql } from '../store/database.ts'
import { readSequences, type SequenceState } from './continue-log.ts'

/** What a database that is replaced knows and a backup of it may not: it goes over. */
export interface PreviousDatabase {
  known: SequenceState
  redactions: LedgerEntry[]
  revoked_keys: { id: string; revoked_at: string }[]
  suspensions: { player_id: string; suspended_at: string; note: string | null }[]
  tokens: { id: string; expires_at: string | null; revoked_at: string | null }[]
}

/** Nothing was ever stored in it that a backup could overwrite. */
export async function isEmptyWorld(db: Database): Promise<boolean> {
  const found = await db.first<{ is_empty: boolean }>(sql`
    select not exists (select from chancery_secret.batch) and not exists (select from chancery_world.event)
      and not exists (select from chancery_access.api_key) and not exists (select from chancery_outbound.endpoint) as is_empty`)
  return found?.is_empty ?? true
}

export async function readPreviousDatabase(db: Database): Promise<PreviousDatabase> {
  // A database of an earlier version may not have all of them.
  const has = async (table: string) =>
    (await db.first<{ is_there: boolean }>(sql`select to_regclass(${table}) is not null as is_there`))
      ?.is_there
  return {
    known: await readSequences(db),
    redactions: (await has('chancery_secret.redaction'))
      ? await db.rows(sql`select op, at, fact from chancery_secret.redaction order by number`)
      : [],
    revoked_keys: await db.rows(
      sql`select id, revoked_at from chancery_access.api_key where revoked_at is not null`,
    ),
    suspensions: (await has('chancery_access.suspension'))
      ? await db.rows(sql`select player_id, suspended_at, note from chancery_access.suspension`)
      : [],
    tokens: (await has('chancery_access.operator_token'))
      ? await db.rows(sql`select id, expires_at, revoked_at from chancery_access.operator_token`)
      : [],
  }
}

/** What was taken away since the backup stays away: keys, players' rights, the time of operator tokens. */
export async function keepRevocations(db: Database, replaced: PreviousDatabase): Promise<void> {
  const { revoked_keys, suspensions, tokens } = replaced
  await db.rows(sql`
    update chancery_access.api_key k set revoked_at = o.revoked_at
    from json_to_recordset(${JSON.stringify(revoked_keys)}::json) as o (id text, revoked_at timestamptz)
    where k.id = o.id and k.revoked_at is null`)
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
