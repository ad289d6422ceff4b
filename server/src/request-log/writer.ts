import { type Database, type DatabasePool, isUnavailable, type Sql, sql } from '../store/database.ts'
import { createSharedRun } from '../store/shared-run.ts'
import type { LoggedRequest, RequestSample } from './request-ring.ts'
import type { Counts } from './usage-counters.ts'

/** What one flush writes. */
export interface FlushBatch {
  sample: RequestSample
  counts: Counts
}

/** The newest row id of each table; null where no row was written. */
export interface NewestRowIds {
  ofKeys: number | null
  ofAddresses: number | null
}

export interface WriterOptions {
  pool: DatabasePool
  /** Takes what was recorded; undefined for nothing. */
  collect: () => FlushBatch | undefined
  onWritten: (newest: NewestRowIds) => void
  onDropped: (batch: FlushBatch) => void
}

/**
 * Returns `flush`, which resolves when everything recorded before has been written, and rejects when that fails. One batch is written at
 * a time. A batch that fails because the database is unavailable is kept for the next flush.
 */
export function createWriter({ pool, collect, onWritten, onDropped }: WriterOptions): () => Promise<void> {
  let kept: FlushBatch | undefined

  async function write(batch: FlushBatch): Promise<void> {
    let isSent = false
    try {
      const newest = await pool.transaction(async db => {
        const written = await writeBatch(db, batch)
        isSent = true
        return written
      })
      kept = undefined
      onWritten(newest)
    } catch (error) {
      // After an unacknowledged commit the batch is dropped: too few counts are better than double ones. A batch that the database
      // rejects would be rejected again.
      if (isSent || !isUnavailable(error)) {
        kept = undefined
        onDropped(batch)
      }
      throw error
    }
  }

  async function writeAll(): Promise<void> {
    if (kept) await write(kept)
    kept = collect()
    if (kept) await write(kept)
  }

  return createSharedRun(writeAll).fresh
}

/** Bounds a statement: what was collected during an outage could exceed the statement timeout. */
const countsPerStatement = 10_000

/** Small, because making the JSON of a statement blocks the process: 2,500 rows took 24 ms. */
const requestsPerStatement = 250

/** Writes a batch in a transaction. Rows are ordered by key, so that processes which update the same rows do not deadlock. */
async function writeBatch(db: Database, { sample, counts }: FlushBatch): Promise<NewestRowIds> {
  const newest = {
    ofKeys: await insertRows(db, sql`chancery_access.key_request`, sql`key_id`, sample.ofKeys, keyOf),
    ofAddresses: await insertRows(
      db,
      sql`chancery_access.address_request`,
      sql`address`,
      sample.ofAddresses,
      addressOf,
    ),
  }
  for (const part of chunksOf(
    sortedBy(counts.minutes, ({ keyId, minute }) => `${keyId} ${minute}`),
    countsPerStatement,
  ))
    await db.rows(sql`
      insert into chancery_access.key_usage_minute as m (key_id, minute, calls, limited)
      select "keyId", to_timestamp(minute / 1000.0), calls, limited
      from json_to_recordset(${JSON.stringify(part)}::json) as r ("keyId" text, minute bigint, calls bigint, limited bigint)
      on conflict (key_id, minute) do update set calls = m.calls + excluded.calls, limited = m.limited + excluded.limited`)
  for (const part of chunksOf(
    sortedBy(
      counts.hours,
      ({ keyId, hour, operation, status, errorCode, errorParameter }) =>
        `${keyId} ${hour} ${operation} ${status} ${errorCode} ${errorParameter}`,
    ),
    countsPerStatement,
  ))
    await db.rows(sql`
      insert into chancery_access.key_usage_hour as h (key_id, hour, operation, status, error_code, error_parameter, calls, deprecated)
      select "keyId", to_timestamp(hour / 1000.0), operation, status, "errorCode", "errorParameter", calls, deprecated
      from json_to_recordset(${JSON.stringify(part)}::json)
        as r ("keyId" text, hour bigint, operation text, status smallint, "errorCode" text, "errorParameter" text, calls bigint,
          deprecated bigint)
      on conflict (key_id, hour, operation, status, error_code, error_parameter) do update set calls = h.calls + excluded.calls,
        deprecated = h.deprecated + excluded.deprecated`)
  for (const part of chunksOf(
    sortedBy(counts.addresses, ({ hour, address }) => `${hour} ${address}`),
    countsPerStatement,
  ))
    await db.rows(sql`
      insert into chancery_access.address_usage_hour as a (hour, address, calls, limited, rejected)
      select to_timestamp(hour / 1000.0), address, calls, limited, rejected
      from json_to_recordset(${JSON.stringify(part)}::json)
        as r (hour bigint, address text, calls bigint, limited bigint, rejected bigint)
      on conflict (hour, address) do update set calls = a.calls + excluded.calls,
        limited = a.limited + excluded.limited, rejected = a.rejected + excluded.rejected`)
  return newest
}

const keyOf = ({ keyId }: LoggedRequest) => keyId
const addressOf = ({ address }: LoggedRequest) => address

async function insertRows(
  db: Database,
  table: Sql,
  column: Sql,
  requests: readonly LoggedRequest[],
  callerOf: (request: LoggedRequest) => string | null,
): Promise<number | null> {
  let newest: number | null = null
  for (const part of chunksOf(requests, requestsPerStatement)) {
    const rows = part.map(request => ({
      request: request.requestId,
      at: request.at,
      caller: callerOf(request),
      operation: request.operation,
      status: request.status,
      code: request.errorCode,
      parameter: request.errorParameter,
      us: Math.min(Math.round(request.durationMs * 1000), 0x7fff_ffff),
    }))
    const row = await db.first<{ newest: number }>(sql`
      with inserted as (
        insert into ${table} (request_id, at, ${column}, operation, status, duration_us, error_code, error_parameter)
        select request, to_timestamp(at / 1000.0), caller, operation, status, us, code, parameter
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as r (request text, at bigint, caller text, operation text, status smallint, us integer, code text, parameter text)
        returning id
      )
      select max(id) as newest from inserted`)
    newest = row?.newest ?? newest
  }
  return newest
}

function sortedBy<T>(rows: readonly T[], keyOfRow: (row: T) => string): T[] {
  return rows
    .map(row => ({ row, key: keyOfRow(row) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ row }) => row)
}

function* chunksOf<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let first = 0; first < rows.length; first += size) yield rows.slice(first, first + size)
}
