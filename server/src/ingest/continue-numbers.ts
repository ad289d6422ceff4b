import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { ingestLock } from '../store/locks.ts'
import { notifyPulse, type Pulse } from '../store/pulse.ts'

const epochMs = Date.UTC(2026, 0, 1)
/** More than a second ever uses. */
const numbersPerSecond = 65_536

/** A number above every number that a log since 2026-01-01 can have used until `nowMs`. */
export const sequenceFloorAt = (nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - epochMs) / 1_000)) * numbersPerSecond

/**
 * Called with the ingest lock when the database server has started since the last batch, before numbers are taken. A replica that was
 * promoted may lack the last batches of the primary that it replaces, whose numbers have been delivered: as after a restore, numbers continue
 * above all that may have been used, and clients with a lost one get 410 (decision 0012).
 */
export async function continueNumbers(db: Database): Promise<void> {
  const state = await db.first<{
    seq: number
    changeSeq: number
    timeline: string | null
    isPromoted: boolean | null
    nowMs: number
  }>(sql`
    select p.seq, p.change_seq as "changeSeq", t.timeline, p.timeline <> t.timeline as "isPromoted",
      extract(epoch from clock_timestamp()) * 1000 as "nowMs"
    from chancery_world.pulse p, (select chancery_world.server_timeline() as timeline) t`)
  if (!state) throw new Error('chancery_world.pulse has no row')
  if (state.isPromoted) {
    const floor = sequenceFloorAt(state.nowMs)
    const seq = Math.max(state.seq + 1, floor)
    const changeSeq = Math.max(state.changeSeq + 1, floor)
    // The last number of the gap belongs to no event: a client that starts now has it as its cursor.
    await db.rows(
      sql`insert into chancery_world.log_gap (last_before, first_after) values (${state.seq}, ${seq + 1})`,
    )
    await db.rows(sql`
      update chancery_world.pulse set seq = ${seq}, change_seq = ${changeSeq}, change_floor = ${changeSeq},
        snapshots_paused_until = null`)
  }
  await db.rows(sql`
    update chancery_world.pulse set server_started_at = pg_postmaster_start_time(), timeline = ${state.timeline}`)
}

/** Continues the numbers as soon as another server has taken over, also in a world without batches: clients learn what they lost. */
export function watchFailovers(options: {
  pool: DatabasePool
  pulse: Pick<Pulse, 'onServerChange'>
  onError: (error: unknown) => void
}): { close(): void } {
  const { pool, pulse, onError } = options
  async function look(): Promise<void> {
    const isOther = sql`
      select from chancery_world.pulse where timeline is not null and server_started_at <> pg_postmaster_start_time()`
    if ((await pool.rows(isOther)).length === 0) return
    await pool.transaction(async db => {
      await db.rows(sql`select pg_advisory_xact_lock(${ingestLock})`)
      if ((await db.rows(isOther)).length === 0) return
      await continueNumbers(db)
      await db.rows(notifyPulse)
    })
  }
  look().catch(onError)
  // If it fails, the next batch does it.
  return { close: pulse.onServerChange(() => look().catch(onError)) }
}
