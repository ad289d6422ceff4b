import { limits } from '@chancery/contract'
import { type DatabasePool, type Sql, sql } from '../store/database.ts'

const hourMs = 3_600_000

/** How often what is old is forgotten. */
export const pruneEveryMs = hourMs
const linesKeptMs = limits.requestLogDays * 24 * hourMs
/** The current hour and the full ones before it. */
const hoursKeptMs = linesKeptMs + hourMs
const minutesKeptMs = 2 * hourMs
/** Who calls without a key is named by an address: for no longer than 48 hours, the time between two rounds included. */
const addressesKeptMs = 48 * hourMs - pruneEveryMs

const rowsPerStep = 5_000

/** Forgets what is older than the journal goes back. Returns how many rows. */
export async function pruneRequestLog(pool: DatabasePool, nowMs: number): Promise<number> {
  const before = (keptMs: number) => new Date(nowMs - keptMs).toISOString()
  const hourBefore = (keptMs: number) =>
    new Date(Math.floor((nowMs - keptMs) / hourMs) * hourMs).toISOString()
  return (
    (await remove(pool, sql`chancery_access.key_call`, sql`at < ${before(linesKeptMs)}`)) +
    (await remove(pool, sql`chancery_access.address_call`, sql`at < ${before(addressesKeptMs)}`)) +
    (await remove(pool, sql`chancery_access.key_minute`, sql`minute < ${before(minutesKeptMs)}`)) +
    (await remove(pool, sql`chancery_access.key_hour`, sql`hour < ${before(hoursKeptMs)}`)) +
    (await remove(pool, sql`chancery_access.address_hour`, sql`hour <= ${hourBefore(addressesKeptMs)}`))
  )
}

/** The lines of a table with a number up to this one. */
export const deleteRowsUpTo = (pool: DatabasePool, table: Sql, id: number): Promise<number> =>
  remove(pool, table, sql`id <= ${id}`)

/** In steps, and around what another process removes or adds to at this moment. */
async function remove(pool: DatabasePool, table: Sql, condition: Sql): Promise<number> {
  let removed = 0
  for (let rows = rowsPerStep; rows === rowsPerStep; ) {
    rows = (
      await pool.rows(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where ${condition} limit ${rowsPerStep} for update skip locked))
        returning 1`)
    ).length
    removed += rows
  }
  return removed
}
