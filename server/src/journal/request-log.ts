import { Counter, type Registry } from '@prometheus-io/client'
import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { createRequestRing, type ServedRequest, sampleRequests } from './request-ring.ts'
import { createRowCap, pruneEveryMs, pruneRequestLog } from './retention.ts'
import { createUsageCounters } from './usage-counters.ts'
import { createWriter, type FlushBatch } from './writer.ts'

/**
 * Request log and usage counters of the public API.
 *
 * `record` never waits: requests are kept in a ring (`request-ring.ts`) and counted (`usage-counters.ts`) in memory, and written every two
 * seconds (`writer.ts`). What exceeds a bound is dropped and counted in a metric. Paths, queries and keys are never stored.
 * `retention.ts` deletes old rows, `queries.ts` reads.
 */

export interface RequestLog {
  /** Records a served request. Never waits: without room it is dropped, and counted as such. */
  record(served: ServedRequest): void
  /** Reads from the database, including what this process recorded before, unless writing that takes more than a second. */
  read<T>(work: (db: Database, nowMs: number) => Promise<T>): Promise<T>
  /** Writes what is left. */
  close(): Promise<void>
}

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
  /** Requests in memory, and rows written at a time. */
  ringCapacity?: number
  rowsPerWrite?: number
  combinationsMax?: number
  addressesMax?: number
}

/** The share of the rows reserved for requests with keys, so that a flood of anonymous requests cannot displace them. */
const shareOfKeys = 0.75
const flushTimeoutMs = 1_000

export function startRequestLog(options: RequestLogOptions): RequestLog {
  const { pool, rowsMax, onDropped, onError, now = Date.now, rowsPerWrite = 2_500 } = options
  const ring = createRequestRing(options.ringCapacity ?? 8_192)
  const counters = createUsageCounters({
    combinationsMax: options.combinationsMax ?? 50_000,
    addressesMax: options.addressesMax ?? 50_000,
  })
  const keyRowsMax = Math.ceil(rowsMax * shareOfKeys)
  const caps = {
    ofKeys: createRowCap(pool, { table: sql`chancery_access.key_call`, rowsMax: keyRowsMax, onError }),
    ofAddresses: createRowCap(pool, {
      table: sql`chancery_access.address_call`,
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
      const { requests, lost } = ring.take()
      const sample = sampleRequests(requests, rowsPerWrite)
      const counts = counters.take()
      drop('line', lost + sample.droppedCount)
      drop('count', counts.uncounted)
      return requests.length > 0 ? { sample, counts } : undefined
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
    record(served) {
      if (rowsMax === 0) return
      const at = now()
      const checked = hasValidCaller(served) ? served : { ...served, address: unknownAddress }
      ring.add(checked, at)
      counters.count(checked, at)
    },
    async read(work) {
      await settledWithin(flushTimeoutMs, write())
      return work(pool, now())
    },
    async close() {
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

/** Resolves with the work, or after the timeout. */
async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
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
