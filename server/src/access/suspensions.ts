import { type DatabasePool, sql } from '../store/database.ts'
import { notifyPulse } from '../store/pulse.ts'

/** The change and the word of it are one: every process forgets what it remembers of keys. */
const bumpAccessVersion = sql`update chancery_access.pulse set version = version + 1`

/** Suspends a player: their keys open nothing until they are resumed. Suspending again keeps the time of the first. */
export async function suspendPlayer(
  pool: DatabasePool,
  playerId: string,
  note: string | null,
): Promise<{ suspendedAt: string }> {
  return pool.transaction(async db => {
    const row = await db.first<{ suspendedAt: string }>(sql`
      insert into chancery_access.suspension as s (player_id, suspended_at, note)
      values (${playerId}, date_trunc('milliseconds', clock_timestamp()), ${note})
      on conflict (player_id) do update set note = coalesce(excluded.note, s.note)
      returning suspended_at as "suspendedAt"`)
    if (!row) throw new Error('a suspension was not returned')
    await db.rows(bumpAccessVersion)
    await db.rows(notifyPulse)
    return row
  })
}

/** Ends a suspension. False where there was none. */
export async function resumePlayer(pool: DatabasePool, playerId: string): Promise<boolean> {
  return pool.transaction(async db => {
    const row = await db.first(
      sql`delete from chancery_access.suspension where player_id = ${playerId} returning player_id`,
    )
    await db.rows(bumpAccessVersion)
    await db.rows(notifyPulse)
    return row !== undefined
  })
}
