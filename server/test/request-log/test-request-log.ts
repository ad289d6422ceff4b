import type { TestContext } from 'node:test'
import {
  countRequestsToday,
  findRequestsOfKeys,
  type KeyRequestFilter,
  readUsageOfKey,
} from '../../src/request-log/queries.ts'
import { type Dropped, type RequestLogOptions, startRequestLog } from '../../src/request-log/request-log.ts'
import type { ServedRequest } from '../../src/request-log/request-ring.ts'
import { createTestDatabase } from '../support/database.ts'
import { query } from '../support/database-url.ts'
import { createTestPools } from '../support/pools.ts'

export const start = Date.parse('2026-06-01T12:30:30Z')
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export interface TestRequestLogOptions extends Partial<RequestLogOptions> {
  /** Default: a database of its own. */
  databaseUrl?: string
}

/** A request log without a server, with a manual clock and manual flushes. */
export async function openTestRequestLog(
  t: TestContext,
  { databaseUrl, ...options }: TestRequestLogOptions = {},
) {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined
  const url = databaseUrl ?? database?.url ?? ''
  const pools = createTestPools({ connectionString: url })
  let nowMs = start
  const dropped: Record<Dropped, number> = { line: 0, count: 0 }
  const errors: unknown[] = []
  const open = () =>
    startRequestLog({
      pool: pools.access,
      rowsMax: 100_000,
      now: () => nowMs,
      writesEveryMs: dayMs,
      flushTimeoutMs: minuteMs,
      onDropped: (what, calls) => {
        dropped[what] += calls
      },
      onError: error => errors.push(error),
      ...options,
    })
  const requestLog = open()
  t.after(async () => {
    await requestLog.close()
    await pools.close()
    await database?.drop()
  })
  return {
    pools,
    url,
    requestLog,
    account: {
      callsToday: (keyIds: string[]) => requestLog.read((db, atMs) => countRequestsToday(db, keyIds, atMs)),
      usage: (keyId: string) => requestLog.read((db, atMs) => readUsageOfKey(db, keyId, atMs)),
      calls: (filter: KeyRequestFilter) => requestLog.read(db => findRequestsOfKeys(db, filter)),
    },
    dropped,
    errors,
    note(...requests: ServedRequest[]): void {
      for (const request of requests) requestLog.record(request)
    },
    now: () => nowMs,
    /** Sets the clock to this long after the start. */
    at(ms: number): void {
      nowMs = start + ms
    },
    /** Flushes the recorded requests. */
    write: () => requestLog.read(async () => undefined),
    /** Opens and closes another request log, as a restarted process does: expired rows are deleted. */
    restart: async () => open().close(),
    rows: <R>(text: string) => query<R>(url, text),
    async count(table: string): Promise<number> {
      const rows = await query<{ count: string }>(url, `select count(*) from chancery_access.${table}`)
      return Number(rows[0]?.count)
    },
  }
}

export const total = (spans: readonly { calls: number }[]) => spans.reduce((sum, { calls }) => sum + calls, 0)
