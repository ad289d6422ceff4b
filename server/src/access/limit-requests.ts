import { type Database, sql } from '../store/database.ts'

/** The request of a key's owner for a higher limit. */
export interface LimitRequestRecord {
  keyId: string
  callsPerMinute: number
  sentence: string
  requestedAt: string
  /** Set when the operator has set a limit since. */
  resolvedAt: string | null
  note: string | null
}

const columns = sql`
  key_id as "keyId", calls_per_minute as "callsPerMinute", sentence, asked_at as "requestedAt", answered_at as "resolvedAt", note`

/** Stores a request in place of an earlier one. */
export async function saveLimitRequest(
  db: Database,
  keyId: string,
  { callsPerMinute, sentence }: Pick<LimitRequestRecord, 'callsPerMinute' | 'sentence'>,
): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.limit_request (key_id, calls_per_minute, sentence, asked_at)
    values (${keyId}, ${callsPerMinute}, ${sentence}, date_trunc('milliseconds', clock_timestamp()))
    on conflict (key_id) do update set calls_per_minute = excluded.calls_per_minute, sentence = excluded.sentence,
      asked_at = excluded.asked_at, answered_at = null, note = null`)
}

/** Marks the open request of a key as resolved, if there is one. */
export async function resolveLimitRequest(db: Database, keyId: string, note: string | null): Promise<void> {
  await db.rows(sql`
    update chancery_access.limit_request set answered_at = date_trunc('milliseconds', clock_timestamp()), note = ${note}
    where key_id = ${keyId} and answered_at is null`)
}

/** The requests of these keys by key id. */
export async function limitRequestsOf(
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, LimitRequestRecord>> {
  const rows = await db.rows<LimitRequestRecord>(sql`
    select ${columns} from chancery_access.limit_request where key_id = any(${keyIds})`)
  return new Map(rows.map(row => [row.keyId, row]))
}
