import {
  type KeyUsage,
  type LoggedCall,
  limits,
  type operatorOperations,
  type ResponseOf,
  type UsageBucket,
} from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const minutesShown = 60
const hoursShown = limits.requestLogDays * 24

/** Requests of each key since midnight (UTC). Keys without any are absent. */
export async function countRequestsToday(
  db: Database,
  keyIds: readonly string[],
  nowMs: number,
): Promise<Map<string, number>> {
  const rows = await db.rows<{ key_id: string; calls: number }>(sql`
    select key_id, sum(calls) as calls from chancery_access.key_usage_hour
    where key_id = any(${[...keyIds]}::text[]) and hour >= ${startOf(nowMs, dayMs)} group by 1`)
  return new Map(rows.map(({ key_id, calls }) => [key_id, calls]))
}

interface GroupRow {
  hour: string | null
  operation: string | null
  status: number | null
  error_code: string | null
  error_parameter: string | null
  calls: number
  limited: number
  deprecated: number
}

/** Usage of a key: by minute for an hour and by hour for a week. The last entries are the current minute and hour. */
export async function readUsageOfKey(db: Database, keyId: string, nowMs: number): Promise<KeyUsage> {
  const sinceMinute = startOf(nowMs - (minutesShown - 1) * minuteMs, minuteMs)
  const sinceHour = startOf(nowMs - (hoursShown - 1) * hourMs, hourMs)
  const minutes = await db.rows<UsageBucket>(sql`
    select minute as at, calls, limited from chancery_access.key_usage_minute
    where key_id = ${keyId} and minute >= ${sinceMinute}`)
  const groups = await db.rows<GroupRow>(sql`
    select hour, operation, status, error_code, error_parameter, sum(calls) as calls, coalesce(sum(calls) filter (where status = 429), 0) as limited,
      sum(deprecated) as deprecated
    from chancery_access.key_usage_hour where key_id = ${keyId} and hour >= ${sinceHour}
    group by grouping sets ((hour), (operation), (status), (error_code, error_parameter))
    order by calls desc, operation, status, error_code, error_parameter`)
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
    errors: groups.flatMap(({ error_code: code, error_parameter: parameter, calls }) =>
      code ? [{ code, parameter: parameter || null, calls }] : [],
    ),
    statuses: groups.flatMap(({ status, calls }) => (status === null ? [] : [{ status, calls }])),
  }
}

const startOf = (ms: number, spanMs: number) => new Date(Math.floor(ms / spanMs) * spanMs).toISOString()

/** Adds zeros for spans without requests. */
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

export interface KeyRequestFilter {
  keyIds: readonly string[]
  requestId?: string | undefined
  limit: number
}

/** The latest requests with these keys, newest first; of one request where its id is given. */
export async function findRequestsOfKeys(
  db: Database,
  { keyIds, requestId, limit }: KeyRequestFilter,
): Promise<Omit<LoggedCall, 'key_name'>[]> {
  const isWanted =
    requestId === undefined ? sql`c.key_id = k.id` : sql`c.key_id = k.id and c.request_id = ${requestId}`
  // The newest of each key by index, and the newest of those.
  return db.rows(sql`
    select n.request_id, n.at, n.key_id, n.operation, n.status, n.duration_us / 1000.0 as duration_ms,
      n.error_code, n.error_parameter
    from unnest(${[...new Set(keyIds)]}::text[]) as k (id)
    cross join lateral (
      select * from chancery_access.key_request c where ${isWanted} order by c.at desc, c.id desc limit ${limit}
    ) n
    order by n.at desc, n.id desc limit ${limit}`)
}

/** A request as operators see it: made with a key, or from an address. */
export type RequestRow = ResponseOf<typeof operatorOperations.requestsGet>['data'][number]

/** The rows of a request id, newest first: a proxy may have used an id twice. */
export async function findRequests(db: Database, requestId: string): Promise<RequestRow[]> {
  return db.rows(sql`
    select c.request_id, c.at, c.operation, c.status, c.duration_us / 1000.0 as duration_ms,
      c.error_code, c.error_parameter, c.key_id, k.name as key_name, k.player_id, null as address
    from chancery_access.key_request c left join chancery_access.api_key k on k.id = c.key_id
    where c.request_id = ${requestId}
    union all
    select request_id, at, operation, status, duration_us / 1000.0, error_code, error_parameter, null, null, null, address
    from chancery_access.address_request where request_id = ${requestId}
    order by at desc limit ${rowsMax}`)
}

const rowsMax = 100

export interface TopQuery {
  hours: number
  limit: number
}

export type TopKey = ResponseOf<typeof operatorOperations.usageKeys>['data'][number]

/** Keys by requests in the last clock hours, the current one included. */
export async function topKeys(db: Database, { hours, limit }: TopQuery, nowMs: number): Promise<TopKey[]> {
  return db.rows(sql`
    select h.*, k.name, k.player_id from (
      select key_id, sum(calls) as calls, sum(deprecated) as deprecated,
        ${sumWhere(sql`status = 429`)} as limited, ${sumWhere(sql`status = 403`)} as refused,
        ${sumWhere(sql`operation = 'discord.verify' and status = 200`)} as redemptions
      from chancery_access.key_usage_hour where hour >= ${firstHour(hours, nowMs)}
      group by key_id order by calls desc, key_id limit ${limit}
    ) h left join chancery_access.api_key k on k.id = h.key_id
    order by h.calls desc, h.key_id`)
}

const sumWhere = (condition: Sql) => sql`coalesce(sum(calls) filter (where ${condition}), 0)`

export type TopAddress = ResponseOf<typeof operatorOperations.usageAddresses>['data'][number]

/** Addresses by requests without a valid key. */
export async function topAddresses(
  db: Database,
  { hours, limit }: TopQuery,
  nowMs: number,
): Promise<TopAddress[]> {
  return db.rows(sql`
    select address, sum(calls) as calls, sum(limited) as limited, sum(rejected) as refused
    from chancery_access.address_usage_hour where hour >= ${firstHour(hours, nowMs)}
    group by address order by calls desc, address limit ${limit}`)
}

/** How many hours back the counters of keys and addresses go. */
export const keyHoursMax = limits.requestLogDays * 24
export const addressHoursMax = 47

const firstHour = (hours: number, nowMs: number) =>
  new Date((Math.floor(nowMs / hourMs) - hours + 1) * hourMs).toISOString()
