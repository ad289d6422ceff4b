import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { sampleRequests } from './choose-calls.ts'
import { createRowCap } from './line-bound.ts'
import { createRequestRing, type ServedRequest } from './request-ring.ts'
import { pruneEveryMs, pruneRequestLog } from './retention.ts'
import { createUsageCounters } from './usage-counters.ts'
import type { FlushBatch } from './write.ts'
import { createWriter } from './writer.ts'

/** Notes answers, and writes them down in the background. */
export interface RequestLog {
  /** Notes one answer. Never waits: where there is no room, something is left out, and is counted as dropped. */
  record(answered: ServedRequest): void
  /** Reads what is written down. What this process noted before is among it, unless writing it takes more than a second. */
  read<T>(work: (db: Database, nowMs: number) => Promise<T>): Promise<T>
  /** Writes what is left. */
  close(): Promise<void>
}

/** What is dropped: the line of a call, or the call from the counts. */
export type Dropped = 'line' | 'count'

export interface RequestLogOptions {
  /** Acts as the access role. */
  pool: DatabasePool
  /** Lines over all. With 0 nothing is noted. */
  rowsMax: number
  onDropped: (what: Dropped, calls: number) => void
  onError: (error: unknown) => void
  now?: () => number
  writesEveryMs?: number
  /** Lines in memory, and lines written at a time. */
  ringCapacity?: number
  linesPerWrite?: number
  combinationsMax?: number
  addressesMax?: number
}

/** The part of the lines that is for calls with keys: a flood of calls without one does not push them out. */
const shareOfKeys = 0.75
const readPatienceMs = 1_000

export function startRequestLog(options: RequestLogOptions): RequestLog {
  const { pool, rowsMax, onDropped, onError, now = Date.now, linesPerWrite = 2_500 } = options
  const ring = createRequestRing(options.ringCapacity ?? 8_192)
  const tally = createUsageCounters({
    combinationsMax: options.combinationsMax ?? 50_000,
    addressesMax: options.addressesMax ?? 50_000,
  })
  const keyRowsMax = Math.ceil(rowsMax * shareOfKeys)
  const bounds = {
    ofKeys: createRowCap(pool, { table: sql`chancery_access.key_call`, rowsMax: keyRowsMax, onError }),
    ofAddresses: createRowCap(pool, {
      table: sql`chancery_access.address_call`,
      rowsMax: rowsMax - keyRowsMax,
      onError,
    }),
  }

  const drop = (what: Dropped, calls: number) => {
    if (calls > 0) onDropped(what, calls)
  }
  const flush = createWriter({
    pool,
    collect(): FlushBatch | undefined {
      const { calls, lost } = ring.take()
      const lines = sampleRequests(calls, linesPerWrite)
      const counts = tally.take()
      drop('line', lost + lines.droppedCount)
      drop('count', counts.uncounted)
      return calls.length > 0 ? { lines, counts } : undefined
    },
    onWritten(newest) {
      bounds.ofKeys.enforce(newest.ofKeys)
      bounds.ofAddresses.enforce(newest.ofAddresses)
    },
    onDropped({ lines, counts }) {
      drop('line', lines.ofKeys.length + lines.ofAddresses.length)
      drop('count', counts.calls)
    },
  })

  const write = () => flush().catch(onError)
  const writeTimer = setInterval(write, options.writesEveryMs ?? 2_000)
  const forget = () => pruneRequestLog(pool, now()).then(() => undefined, onError)
  const forgetTimer = setInterval(forget, pruneEveryMs)
  for (const timer of [writeTimer, forgetTimer]) timer.unref()
  const firstForgotten = forget()

  return {
    record(answered) {
      if (rowsMax === 0) return
      const at = now()
      const named = isNamed(answered) ? answered : { ...answered, address: unknownAddress }
      ring.add(named, at)
      tally.count(named, at)
    },
    async read(work) {
      await atMost(readPatienceMs, write())
      return work(pool, now())
    },
    async close() {
      clearInterval(writeTimer)
      clearInterval(forgetTimer)
      await firstForgotten
      await write()
      await Promise.all(Object.values(bounds).map(bound => bound.close()))
    },
  }
}

const addressForm = /^[\da-f.:]{2,45}(?:\/64)?$/i
const unknownAddress = 'unknown'

/** Behind a trusted proxy an address is whatever that wrote. */
const isNamed = ({ keyId, address }: ServedRequest) => keyId !== null || addressForm.test(address)

/** Resolves with the work, or without it when its time is over. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, over])
  clearTimeout(timer)
}
