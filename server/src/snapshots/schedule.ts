import type { Contract } from '@chancery/contract'
import {
  type ConnectionTarget,
  createPool,
  type Database,
  type DatabasePool,
  sql,
} from '../store/database.ts'
import type { DatabaseHealth } from '../store/guarded-pool.ts'
import { snapshotLock } from '../store/locks.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { StoredSnapshot } from './files.ts'
import { lockTimeoutMsDefault, lockWithin, makeSnapshot } from './make-snapshot.ts'

export interface SnapshotsOptions {
  target: ConnectionTarget
  namesStatements: boolean
  contract: Contract
  pulse: Pick<Pulse, 'onChange'> & DatabaseHealth
  pool: DatabasePool
  log: Pick<Logger, 'info'>
  onError: (error: unknown) => void
  /** How long the first snapshot waits after the first facts. */
  firstAfterMs?: number | undefined
  /** How long a snapshot waits for a ranking round, and one that is made now for another process. */
  lockTimeoutMs?: number | undefined
}

export interface Snapshots {
  /** Makes a snapshot now, also when none is due. Waits for one that another process is making. */
  make(reason: StoredSnapshot['reason']): Promise<void>
  close(): Promise<void>
}

/** Checks for the end of a day, and for snapshots that were withdrawn. */
const checkEveryMs = 30_000
const firstAfterMsDefault = 300_000

/** Makes snapshots when they are due, in one process of several. */
export function startSnapshots(options: SnapshotsOptions): Snapshots {
  const { target, namesStatements, contract, pulse, pool, log, onError } = options
  const { firstAfterMs = firstAfterMsDefault, lockTimeoutMs = lockTimeoutMsDefault } = options
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  let isRunning = false

  const isDue = (db: Database) => dueReason(db, firstAfterMs)

  async function runWith(due: typeof isDue): Promise<void> {
    const shared = { target, namesStatements, health: pulse }
    const reads = createPool({ ...shared, role: 'chancery_public', connectionsMax: 2 })
    const writes = createPool({ ...shared, role: 'chancery_ingest', connectionsMax: 2 })
    const startedAt = performance.now()
    try {
      const context = { contract, reads, writes, signal: closing.signal, lockTimeoutMs }
      const made = await makeSnapshot(context, due)
      if (made)
        log.info(
          {
            snapshot: made.id,
            reason: made.reason,
            rows: made.files.reduce((sum, { rows }) => sum + rows, 0),
            bytes: made.files.reduce((sum, { bytes }) => sum + bytes, 0),
            duration_ms: Math.round(performance.now() - startedAt),
          },
          'made a snapshot of the world',
        )
    } finally {
      await Promise.all([reads.close(), writes.close()])
    }
  }

  /** One after another in this process. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = running.then(work)
    running = turn.catch(() => undefined)
    return turn
  }

  function check(): void {
    if (isRunning || closing.signal.aborted) return
    isRunning = true
    inTurn(async () => {
      // Without further connections, in most cases.
      if ((await isDue(pool)) !== undefined) await runWith(isDue)
    })
      .catch(error => closing.signal.aborted || onError(error))
      .finally(() => {
        isRunning = false
      })
  }

  const timer = setInterval(check, checkEveryMs)
  timer.unref()
  check()
  return {
    make: reason =>
      inTurn(async () => {
        await pool.transaction(db => lockWithin(db, snapshotLock, lockTimeoutMs))
        await runWith(async () => reason)
      }),
    async close() {
      closing.abort()
      clearInterval(timer)
      await running
    },
  }
}

/** Why a snapshot is due; undefined if none is. */
export async function dueReason(
  db: Database,
  firstAfterMs: number,
): Promise<StoredSnapshot['reason'] | undefined> {
  const state = await db.first<{
    is_paused: boolean
    is_known: boolean
    is_of_today: boolean
    was_withdrawn: boolean
    is_filled: boolean
  }>(sql`
    select coalesce(p.snapshots_paused_until > clock_timestamp(), false) as is_paused,
      -- A snapshot from before the oldest stored change cannot be continued.
      coalesce(s.change_seq >= p.change_floor, false) as is_known,
      coalesce(s.created_at >= date_trunc('day', clock_timestamp()), false) as is_of_today,
      p.snapshot_version > 0 as was_withdrawn,
      exists (
        select from chancery_secret.batch where applied_at < clock_timestamp() - make_interval(secs => ${firstAfterMs / 1_000})
      ) as is_filled
    from chancery_world.pulse p left join (
      select change_seq, created_at from chancery_world.snapshot order by created_at desc limit 1
    ) s on true`)
  if (!state?.is_filled || state.is_paused) return undefined
  if (!state.is_known) return state.was_withdrawn ? 'renewed' : 'daily'
  return state.is_of_today ? undefined : 'daily'
}
