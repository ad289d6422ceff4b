import type { KeyUsage, LoggedCall, UsageBucket } from '@chancery/contract'
import { limits } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const minutesShown = 60
const hoursShown = limits.requestLogDays * 24

/** Calls of each key since midnight (UTC). Keys that did not call are not in it. */
export async function callsToday(
  db: Database,
  keyIds: readonly string[],
  nowMs: number,
): Promise<Map<string, number>> {
  const rows = await db.rows<{ key_id: string; calls: number }>(sql`
    select key_id, sum(calls) as calls from chancery_access.key_hour
    where key_id = any(${[...keyIds]}::text[]) and hour >= ${startOf(nowMs, dayMs)} group by 1`)
  return new Map(rows.map(({ key_id, calls }) => [key_id, calls]))
}

interface GroupRow {
  hour: string | null
  operation: string | null
  status: number | null
  calls: number
  limited: number
  deprecated: number
}

/** What a key called, by minute for an hour and by hour for a week; the minute and the hour that go on are the last ones. */
export async function usageOfKey(db: Database, keyId: string, nowMs: number): Promise<KeyUsage> {
  const sinceMinute = startOf(nowMs - (minutesShown - 1) * minuteMs, minuteMs)
  const sinceHour = startOf(nowMs - (hoursShown - 1) * hourMs, hourMs)
  const minutes = await db.rows<UsageBucket>(sql`
    select minute as at, calls, limited from chancery_access.key_minute
    where key_id = ${keyId} and minute >= ${sinceMinute}`)
  const groups = await db.rows<GroupRow>(sql`
    select hour, operation, status, sum(calls) as calls, coalesce(sum(calls) filter (where status = 429), 0) as limited,
      sum(deprecated) as deprecated
    from chancery_access.key_hour where key_id = ${keyId} and hour >= ${sinceHour}
    group by grouping sets ((hour), (operation), (status))
    order by calls desc, operation, status`)
  return {
    minutes: fillGaps(minutes, sinceMinute, minuteMs, minutesShown),
    hours: fillGaps(
      groups.flatMap(({ hour, calls, limited }) => (hour === null ? [] : [{ at: hour, calls, limited }])),
      sinceHour,
      hourMs,
      hoursShown,
    ),
    operations: groups.flatMap(({ operation, calls, deprecated }) =>
      operation === null ? [] : [{ operation, calls, deprecated }],
    ),
    statuses: groups.flatMap(({ status, calls }) => (status === null ? [] : [{ status, calls }])),
  }
}

const startOf = (ms: number, spanMs: number) => new Date(Math.floor(ms / spanMs) * spanMs).toISOString()

/** With zeros where nothing was called. */
function fillGaps(
  counted: readonly UsageBucket[],
  since: string,
  spanMs: number,
  count: number,
): UsageBucket[] {
  const known = new Map(counted.map(span => [Date.parse(span.at), span]))
  return Array.from({ length: count }, (_, index) => {
    const ms = Date.parse(since) + index * spanMs
    const { calls, limited } = known.get(ms) ?? { calls: 0, limited: 0 }
    return { at: new Date(ms).toISOString().replace('.000Z', 'Z'), calls, limited }
  })
}

export interface CallsWanted {
  keyIds: readonly string[]
  requestId?: string | undefined
  limit: number
}

/** The latest calls with these keys, newest first; of one request where its id is given. */
export async function callsOfKeys(
  db: Database,
  { keyIds, requestId, limit }: CallsWanted,
): Promise<Omit<LoggedCall, 'key_name'>[]> {
  const isWanted =
    requestId === undefined ? sql`c.key_id = k.id` : sql`c.key_id = k.id and c.request_id = ${requestId}`
  // The newest of each key, by its index, and of those the newest.
  return db.rows(sql`
    select n.request_id, n.at, n.key_id, n.operation, n.status, n.duration_us / 1000.0 as duration_ms
    from unnest(${[...new Set(keyIds)]}::text[]) as k (id)
    cross join lateral (
      select * from chancery_access.key_call c where ${isWanted} order by c.at desc, c.id desc limit ${limit}
    ) n
    order by n.at desc, n.id desc limit ${limit}`)
}
