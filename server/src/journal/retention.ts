import { limits } from '@chancery/contract'
import { type DatabasePool, type Sql, sql } from '../store/database.ts'

const hourMs = 3_600_000

export const pruneEveryMs = hourMs
const rowsKeptMs = limits.requestLogDays * 24 * hourMs
/** The current hour and the full ones before it. */
const hoursKeptMs = rowsKeptMs + hourMs
const minutesKeptMs = 2 * hourMs
/** Addresses are personal data: kept for 48 hours at most, the pruning interval included. */
const addressesKeptMs = 48 * hourMs - pruneEveryMs

const rowsPerStep = 5_000

/** Deletes what is older than its retention time. Returns how many rows. */
export async function pruneRequestLog(pool: DatabasePool, nowMs: number): Promise<number> {
  const before = (keptMs: number) => new Date(nowMs - keptMs).toISOString()
  const hourBefore = (keptMs: number) =>
    new Date(Math.floor((nowMs - keptMs) / hourMs) * hourMs).toISOString()
  return (
    (await deleteWhere(pool, sql`chancery_access.key_call`, sql`at < ${before(rowsKeptMs)}`)) +
    (await deleteWhere(pool, sql`chancery_access.address_call`, sql`at < ${before(addressesKeptMs)}`)) +
    (await deleteWhere(pool, sql`chancery_access.key_minute`, sql`minute < ${before(minutesKeptMs)}`)) +
    (await deleteWhere(pool, sql`chancery_access.key_hour`, sql`hour < ${before(hoursKeptMs)}`)) +
    (await deleteWhere(pool, sql`chancery_access.address_hour`, sql`hour <= ${hourBefore(addressesKeptMs)}`))
  )
}

/** Deletes in steps. Skips rows that another process is deleting or updating. */
async function deleteWhere(pool: DatabasePool, table: Sql, condition: Sql): Promise<number> {
  let deleted = 0
  for (let rows = rowsPerStep; rows === rowsPerStep; ) {
    rows = (
      await pool.rows(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where ${condition} limit ${rowsPerStep} for update skip locked))
        returning 1`)
    ).length
    deleted += rows
  }
  return deleted
}

/** Above its cap a table loses this share at once, instead of a few rows on every write. */
const shareDeleted = 0.01

export interface RowCap {
  /** Takes the newest row id, null where no row was written. Deletes the oldest rows in the background. */
  enforce(newestId: number | null): void
  close(): Promise<void>
}

/** Caps the rows of a table by their ids, so that nothing has to be counted. */
export function createRowCap(
  pool: DatabasePool,
  { table, rowsMax, onError }: { table: Sql; rowsMax: number; onError: (error: unknown) => void },
): RowCap {
  let deletedTo = 0
  let deleting: Promise<void> | undefined

  return {
    enforce(newestId) {
      if (newestId === null || deleting) return
      // A crash of the database empties an unlogged table and restarts its ids.
      if (newestId < deletedTo) deletedTo = 0
      if (newestId - deletedTo <= rowsMax) return
      const upTo = newestId - Math.floor(rowsMax * (1 - shareDeleted))
      deleting = deleteWhere(pool, table, sql`id <= ${upTo}`)
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
