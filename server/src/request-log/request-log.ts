import { limits } from '@chancery/contract'
import { Counter, type Registry } from '@prometheus-io/client'
import { type Database, type DatabasePool, deleteInSteps, isoTime, type Sql, sql } from '../store/database.ts'
import { createRequestRing, type ServedRequest } from './request-ring.ts'
import { createUsageCounters } from './usage-counters.ts'
import { createWriter, type FlushBatch } from './writer.ts'

/**
 * Request log and usage counters of the public API.
 *
 * `record` never waits: requests are kept in a ring (`request-ring.ts`) and counted (`usage-counters.ts`) in memory, and written every two
 * seconds (`writer.ts`). What exceeds a bound is dropped and counted in a metric. Paths, queries and keys are never stored.
 * `pruneRequestLog` deletes old rows, `queries.ts` reads.
 */

export type RequestLog = ReturnType<typeof startRequestLog>

/** What is dropped: the row of a request, or the request from the counters. */
export type Dropped = 'line' | 'count'

export interface RequestLogOptions {
  /** Acts as the access role. */
  pool: DatabasePool
  /** Rows in the database. With 0 nothing is recorded. */
  rowsMax: number
  onDropped: (what: Dropped, requests: number) => void
  onError: (error: unknown) => void
  now?: () => number
  writesEveryMs?: number
  /** How long a read waits for what this process recorded before. */
  flushTimeoutMs?: number
  /** Requests in memory, and rows written at a time. */
  ringCapacity?: number
  rowsPerWrite?: number
  combinationsMax?: number
  addressesMax?: number
}

/** The share of the rows reserved for requests with keys, so that a flood of anonymous requests cannot displace them. */
const shareOfKeys = 0.75

export function startRequestLog(options: RequestLogOptions) {
  const {
    pool,
    rowsMax,
    onDropped,
    onError,
    now = Date.now,
    rowsPerWrite = 2_500,
    flushTimeoutMs = 1_000,
  } = options
  const ring = createRequestRing(options.ringCapacity ?? 8_192)
  const counters = createUsageCounters({
    combinationsMax: options.combinationsMax ?? 50_000,
    addressesMax: options.addressesMax ?? 50_000,
  })
  const keyRowsMax = Math.ceil(rowsMax * shareOfKeys)
  const caps = {
    ofKeys: createRowCap(pool, { table: sql`chancery_access.key_request`, rowsMax: keyRowsMax, onError }),
    ofAddresses: createRowCap(pool, {
      table: sql`chancery_access.address_request`,
      rowsMax: rowsMax - keyRowsMax,
      onError,
    }),
  }

  const drop = (what: Dropped, requests: number) => {
    if (requests > 0) onDropped(what, requests)
  }
  const flush = createWriter({
    pool,
    collect(): FlushBatch | undefined {
      const sample = ring.take(rowsPerWrite)
      const counts = counters.take()
      drop('line', sample.droppedCount)
      drop('count', counts.uncounted)
      const hasRows = sample.ofKeys.length + sample.ofAddresses.length > 0
      return hasRows || counts.requests > 0 ? { sample, counts } : undefined
    },
    onWritten(newest) {
      caps.ofKeys.enforce(newest.ofKeys)
      caps.ofAddresses.enforce(newest.ofAddresses)
    },
    onDropped({ sample, counts }) {
      drop('line', sample.ofKeys.length + sample.ofAddresses.length)
      drop('count', counts.requests)
    },
  })

  const write = () => flush().catch(onError)
  const writeTimer = setInterval(write, options.writesEveryMs ?? 2_000)
  const prune = () => pruneRequestLog(pool, now()).then(() => undefined, onError)
  const pruneTimer = setInterval(prune, pruneEveryMs)
  for (const timer of [writeTimer, pruneTimer]) timer.unref()
  const firstPrune = prune()

  return {
    /** Records a served request. Never waits: without room it is dropped, and counted as such. */
    record(served: ServedRequest): void {
      if (rowsMax === 0) return
      const at = now()
      const checked = hasValidCaller(served) ? served : { ...served, address: unknownAddress }
      ring.add(checked, at)
      counters.count(checked, at)
    },
    /** Reads from the database, including what this process recorded before, unless writing that takes more than a second. */
    async read<T>(work: (db: Database, nowMs: number) => Promise<T>): Promise<T> {
      await waitAtMost(flushTimeoutMs, write())
      return work(pool, now())
    },
    /** Writes what is left. */
    async close(): Promise<void> {
      clearInterval(writeTimer)
      clearInterval(pruneTimer)
      await firstPrune
      await write()
      await Promise.all(Object.values(caps).map(cap => cap.close()))
    },
  }
}

const addressForm = /^[\da-f.:]{2,45}(?:\/64)?$/i
const unknownAddress = 'unknown'

/** Behind a trusted proxy the address is any text that the proxy sent. */
const hasValidCaller = ({ keyId, address }: ServedRequest) => keyId !== null || addressForm.test(address)

/** Resolves when the work is done or has failed, or after the timeout. */
async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, timeout])
  clearTimeout(timer)
}

/** Counts the requests that the log drops. */
export function createDropMetrics(registry: Registry): (what: Dropped, requests: number) => void {
  const dropped = new Counter({
    name: 'chancery_request_log_dropped_total',
    help: 'Requests missing from the request log (line) or from the usage counters (count).',
    labelNames: ['what'],
    registers: [registry],
  })
  for (const what of ['line', 'count'] satisfies Dropped[]) dropped.inc({ what }, 0)
  return (what, requests) => dropped.inc({ what }, requests)
}

const hourMs = 3_600_000

const pruneEveryMs = hourMs
const rowsKeptMs = limits.requestLogDays * 24 * hourMs
/** The current hour and the full ones before it. */
const hoursKeptMs = rowsKeptMs + hourMs
const minutesKeptMs = 2 * hourMs
/** Addresses are personal data: kept for 48 hours at most, the pruning interval included. */
const addressesKeptMs = 48 * hourMs - pruneEveryMs

/** Deletes what is older than its retention time. Returns how many rows. */
export async function pruneRequestLog(pool: DatabasePool, nowMs: number): Promise<number> {
  const before = (keptMs: number) => isoTime(nowMs - keptMs)
  const hourBefore = (keptMs: number) => isoTime(Math.floor((nowMs - keptMs) / hourMs) * hourMs)
  return (
    (await deleteInSteps(pool, sql`chancery_access.key_request`, sql`at < ${before(rowsKeptMs)}`)) +
    (await deleteInSteps(pool, sql`chancery_access.address_request`, sql`at < ${before(addressesKeptMs)}`)) +
    (await deleteInSteps(
      pool,
      sql`chancery_access.key_usage_minute`,
      sql`minute < ${before(minutesKeptMs)}`,
    )) +
    (await deleteInSteps(pool, sql`chancery_access.key_usage_hour`, sql`hour < ${before(hoursKeptMs)}`)) +
    (await deleteInSteps(
      pool,
      sql`chancery_access.address_usage_hour`,
      sql`hour <= ${hourBefore(addressesKeptMs)}`,
    ))
  )
}

/** Above its cap a table loses this share at once, instead of a few rows on every write. */
const shareDeleted = 0.01

/** Caps the rows of a table by their ids, so that nothing has to be counted. */
function createRowCap(
  pool: DatabasePool,
  { table, rowsMax, onError }: { table: Sql; rowsMax: number; onError: (error: unknown) => void },
) {
  let deletedTo = 0
  let deleting: Promise<void> | undefined

  return {
    /** Takes the newest row id, null where no row was written. Deletes the oldest rows in the background. */
    enforce(newestId: number | null): void {
      if (newestId === null || deleting) return
      // A crash of the database empties an unlogged table and restarts its ids.
      if (newestId < deletedTo) deletedTo = 0
      if (newestId - deletedTo <= rowsMax) return
      const upTo = newestId - Math.floor(rowsMax * (1 - shareDeleted))
      deleting = deleteInSteps(pool, table, sql`id <= ${upTo}`)
        .then(() => {
          deletedTo = upTo
        }, onError)
        .finally(() => {
          deleting = undefined
        })
    },
    async close() {
      await deleting
    },
  }
}
