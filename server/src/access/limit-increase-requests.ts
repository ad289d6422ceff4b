import type { AccountKey, operatorOperations, ResponseOf } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** The request of a key's owner for a higher limit. */
export type LimitRequest = NonNullable<AccountKey['limit_request']>

const now = sql`date_trunc('milliseconds', clock_timestamp())`

/** Stores a request in place of an earlier one. */
export async function saveLimitRequest(
  db: Database,
  keyId: string,
  { calls_per_minute, sentence }: Pick<LimitRequest, 'calls_per_minute' | 'sentence'>,
): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.limit_request (key_id, calls_per_minute, reason, requested_at)
    values (${keyId}, ${calls_per_minute}, ${sentence}, ${now})
    on conflict (key_id) do update set calls_per_minute = excluded.calls_per_minute, reason = excluded.reason,
      requested_at = excluded.requested_at, resolved_at = null, note = null, notified_at = null, notifying_until = null`)
}

/** Marks the pending request of a key as resolved. Returns the requested calls per minute; undefined for none. */
export async function resolveLimitRequest(
  db: Database,
  keyId: string,
  note: string | null,
): Promise<number | undefined> {
  const row = await db.first<{ calls_per_minute: number }>(sql`
    update chancery_access.limit_request set resolved_at = ${now}, note = ${note}
    where key_id = ${keyId} and resolved_at is null returning calls_per_minute`)
  return row?.calls_per_minute
}

/** Moves the open request of a key, if there is one, to a new key. */
export async function moveLimitRequest(db: Database, fromId: string, toId: string): Promise<void> {
  await db.rows(sql`
    update chancery_access.limit_request set key_id = ${toId} where key_id = ${fromId} and resolved_at is null`)
}

/** The requests of these keys by key id. */
export async function limitRequestsOf(
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, LimitRequest>> {
  const rows = await db.rows<LimitRequest & { key_id: string }>(sql`
    select key_id, calls_per_minute, reason as sentence, requested_at as asked_at, resolved_at as answered_at, note
    from chancery_access.limit_request where key_id = any(${keyIds})`)
  return new Map(rows.map(({ key_id, ...request }) => [key_id, request]))
}

/** Number of pending requests. */
export async function countLimitRequests(db: Database): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`select count(*) as count from chancery_access.limit_request where resolved_at is null`,
  )
  return row?.count ?? 0
}

const listedMax = 1_000

type PendingRequest = ResponseOf<typeof operatorOperations.limitRequestsList>['data'][number]

/** Pending requests of usable keys, oldest first. */
export const listLimitRequests = (db: Database): Promise<PendingRequest[]> =>
  db.rows<PendingRequest>(sql`
    select r.key_id, k.name as key_name, k.player_id, k.call_limit as "limit", r.calls_per_minute, r.reason as sentence,
      r.requested_at as asked_at
    from chancery_access.limit_request r join chancery_access.api_key k on k.id = r.key_id
    where r.resolved_at is null order by r.requested_at, r.key_id limit ${listedMax}`)
