import { type Database, type Sql, sql } from '../store/database.ts'
import type { RequestSample } from './choose-calls.ts'
import type { LoggedRequest } from './request-ring.ts'
import type { Counts } from './usage-counters.ts'

/** What is written at a time. */
export interface FlushBatch {
  lines: RequestSample
  counts: Counts
}

/** The newest number of each kind of line; null where none was written. */
export interface Newest {
  ofKeys: number | null
  ofAddresses: number | null
}

/** A statement has at most so many rows: one of all that an outage has gathered could take longer than statements may. */
const rowsPerStatement = 10_000

/**
 * Writes a harvest, inside a transaction. Rows come in the order of their keys, so that processes which add to the same rows wait
 * for each other and never in a circle.
 */
export async function writeBatch(db: Database, { lines, counts }: FlushBatch): Promise<Newest> {
  const newest = {
    ofKeys: await insertLines(db, sql`chancery_access.key_call`, sql`key_id`, lines.ofKeys, keyOf),
    ofAddresses: await insertLines(
      db,
      sql`chancery_access.address_call`,
      sql`address`,
      lines.ofAddresses,
      addressOf,
    ),
  }
  for (const part of chunksOf(sortedBy(counts.minutes, ({ keyId, minute }) => `${keyId} ${minute}`)))
    await db.rows(sql`
      insert into chancery_access.key_minute as m (key_id, minute, calls, limited)
      select "keyId", to_timestamp(minute / 1000.0), calls, limited
      from json_to_recordset(${JSON.stringify(part)}::json) as r ("keyId" text, minute bigint, calls bigint, limited bigint)
      on conflict (key_id, minute) do update set calls = m.calls + excluded.calls, limited = m.limited + excluded.limited`)
  for (const part of chunksOf(
    sortedBy(counts.hours, count => `${count.keyId} ${count.hour} ${count.operation} ${count.status}`),
  ))
    await db.rows(sql`
      insert into chancery_access.key_hour as h (key_id, hour, operation, status, calls, deprecated)
      select "keyId", to_timestamp(hour / 1000.0), operation, status, calls, deprecated
      from json_to_recordset(${JSON.stringify(part)}::json)
        as r ("keyId" text, hour bigint, operation text, status smallint, calls bigint, deprecated bigint)
      on conflict (key_id, hour, operation, status) do update set calls = h.calls + excluded.calls,
        deprecated = h.deprecated + excluded.deprecated`)
  for (const part of chunksOf(sortedBy(counts.addresses, ({ hour, address }) => `${hour} ${address}`)))
    await db.rows(sql`
      insert into chancery_access.address_hour as a (hour, address, calls, limited, refused)
      select to_timestamp(hour / 1000.0), address, calls, limited, refused
      from json_to_recordset(${JSON.stringify(part)}::json)
        as r (hour bigint, address text, calls bigint, limited bigint, refused bigint)
      on conflict (hour, address) do update set calls = a.calls + excluded.calls,
        limited = a.limited + excluded.limited, refused = a.refused + excluded.refused`)
  return newest
}

const keyOf = ({ keyId }: LoggedRequest) => keyId
const addressOf = ({ address }: LoggedRequest) => address

async function insertLines(
  db: Database,
  table: Sql,
  column: Sql,
  calls: readonly LoggedRequest[],
  callerOf: (call: LoggedRequest) => string | null,
): Promise<number | null> {
  if (calls.length === 0) return null
  const lines = calls.map(call => ({
    request: call.requestId,
    at: call.at,
    caller: callerOf(call),
    operation: call.operation,
    status: call.status,
    us: Math.min(Math.round(call.durationMs * 1000), 0x7fff_ffff),
  }))
  const row = await db.first<{ newest: number }>(sql`
    with inserted as (
      insert into ${table} (request_id, at, ${column}, operation, status, duration_us)
      select request, to_timestamp(at / 1000.0), caller, operation, status, us
      from json_to_recordset(${JSON.stringify(lines)}::json)
        as r (request text, at bigint, caller text, operation text, status smallint, us integer)
      returning id
    )
    select max(id) as newest from inserted`)
  return row?.newest ?? null
}

function sortedBy<T>(rows: readonly T[], keyOfRow: (row: T) => string): T[] {
  return rows
    .map(row => ({ row, key: keyOfRow(row) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ row }) => row)
}

function* chunksOf<T>(rows: readonly T[]): Generator<T[]> {
  for (let first = 0; first < rows.length; first += rowsPerStatement)
    yield rows.slice(first, first + rowsPerStatement)
}
