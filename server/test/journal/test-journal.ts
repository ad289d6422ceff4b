import type { TestContext } from 'node:test'
import {
  countRequestsToday,
  findRequestsOfKeys,
  type KeyRequestFilter,
  readUsageOfKey,
} from '../../src/journal/queries.ts'
import { type Dropped, type RequestLogOptions, startRequestLog } from '../../src/journal/request-log.ts'
import type { ServedRequest } from '../../src/journal/request-ring.ts'
import { createPools } from '../../src/store/pools.ts'
import { query } from '../access/query.ts'
import { createTestDatabase } from '../support/database.ts'

export const start = Date.parse('2026-06-01T12:30:30Z')
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export interface TestJournalOptions extends Partial<RequestLogOptions> {
  /** Through a proxy. Without: a database of its own. */
  databaseUrl?: string
}

/** A journal without a server around it, with a clock that stands still until it is moved. It writes when it is told to. */
export async function openTestJournal(t: TestContext, { databaseUrl, ...options }: TestJournalOptions = {}) {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined
  const url = databaseUrl ?? database?.url ?? ''
  const pools = createPools({ target: { connectionString: url } })
  let nowMs = start
  const dropped: Record<Dropped, number> = { line: 0, count: 0 }
  const errors: unknown[] = []
  const open = () =>
    startRequestLog({
      pool: pools.access,
      rowsMax: 100_000,
      now: () => nowMs,
      writesEveryMs: dayMs,
      onDropped: (what, calls) => {
        dropped[what] += calls
      },
      onError: error => errors.push(error),
      ...options,
    })
  const journal = open()
  t.after(async () => {
    await journal.close()
    await pools.close()
    await database?.drop()
  })
  return {
    pools,
    url,
    journal,
    account: {
      callsToday: (keyIds: string[]) => journal.read((db, atMs) => countRequestsToday(db, keyIds, atMs)),
      usage: (keyId: string) => journal.read((db, atMs) => readUsageOfKey(db, keyId, atMs)),
      calls: (filter: KeyRequestFilter) => journal.read(db => findRequestsOfKeys(db, filter)),
    },
    dropped,
    errors,
    note(...answers: ServedRequest[]): void {
      for (const answered of answers) journal.record(answered)
    },
    now: () => nowMs,
    /** Moves the clock to so long after the beginning. */
    at(ms: number): void {
      nowMs = start + ms
    },
    /** Writes what was noted. */
    write: () => journal.read(async () => undefined),
    /** A journal as a process begins it anew: with what is old forgotten, once it is closed. */
    restart: async () => open().close(),
    rows: <R>(text: string) => query<R>(url, text),
    async count(table: string): Promise<number> {
      const rows = await query<{ count: string }>(url, `select count(*) from chancery_access.${table}`)
      return Number(rows[0]?.count)
    },
  }
}

export const total = (spans: readonly { calls: number }[]) => spans.reduce((sum, { calls }) => sum + calls, 0)
