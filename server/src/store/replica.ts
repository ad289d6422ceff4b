import { type ConnectionTarget, type StatementListener, sql } from './database.ts'
import { createHeartbeatReader } from './heartbeat.ts'
import { closePools, createPublicPools, type PublicPools } from './pools.ts'
import type { Heartbeat } from './pulse.ts'

/** A streaming replica of the primary, with the pools of public reads. */
export interface Replica {
  /** Host and database, as in its URL. */
  name: string
  pools: PublicPools
  /** Why it cannot be read now; undefined if it can. */
  problem(primary: Heartbeat): string | undefined
  /** The world version that its responses have at least. */
  version(primary: Heartbeat): number
  /** How long ago the primary had the state that the replica has; undefined if unknown. */
  lagMs(): number | undefined
  /** Reads its state soon. */
  tick(): void
  close(): Promise<void>
}

export interface ReplicaOptions {
  target: ConnectionTarget
  name: string
  namesStatements: boolean
  /** It is not read while it is further behind. */
  lagMaxMs: number
  progress: Pick<PrimaryProgress, 'reachedAt' | 'since'>
  timeoutFactor?: number | undefined
  onError?: (error: Error) => void
  onStatement?: StatementListener | undefined
  /** Called after each reading of its state. */
  onReading: () => void
}

interface ReplicaState {
  worldVersion: number
  redactionVersion: number
  /** When the server that it follows started; null before that was recorded. */
  serverStartedAt: string | null
  startedAt: string
  isReplica: boolean
  replayedBytes: number | null
}

export function createReplica(options: ReplicaOptions): Replica {
  const { name, lagMaxMs, progress } = options
  /** When the primary had the state that the replica has. */
  let stateOf: number | undefined
  const reader = createHeartbeatReader<ReplicaState, ReplicaState>({
    ...options,
    name: 'chancery replica',
    async query(db) {
      // Before the row, which is then at least as new.
      const replayed = await db.first<{ bytes: number | null }>(
        sql`select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as bytes`,
      )
      const state = await db.first<Omit<ReplicaState, 'replayedBytes'>>(sql`
        select w.world_version as "worldVersion", w.redaction_version as "redactionVersion",
          a.server_started_at as "serverStartedAt", pg_postmaster_start_time() as "startedAt",
          pg_is_in_recovery() as "isReplica"
        from chancery_world.pulse w, chancery_access.pulse a`)
      if (!state) throw new Error('chancery_world.pulse has no row')
      return { ...state, replayedBytes: replayed?.bytes ?? null }
    },
    serverOf: ({ startedAt }) => startedAt,
    endsWithConnection: true,
    accept: state => state,
    onReading({ replayedBytes }) {
      stateOf = replayedBytes === null ? undefined : progress.reachedAt(replayedBytes)
      options.onReading()
    },
  })
  const pools = createPublicPools({
    ...options,
    health: reader,
    isExpectedServer: startedAt => startedAt === reader.current()?.startedAt,
  })
  return {
    name,
    pools,
    problem(primary) {
      const state = reader.current()
      if (!state) return 'does not respond'
      if (!state.isReplica) return 'is not a replica'
      if (state.serverStartedAt !== primary.serverStartedAt) return 'does not follow this primary'
      if (stateOf === undefined || performance.now() - stateOf > lagMaxMs) return 'lags'
      // Redacted texts are not returned for as long as a replica may lag.
      return state.redactionVersion < primary.redactionVersion ? 'lacks a redaction' : undefined
    },
    // Not above the primary's: another process may have made a version that a failover loses, and that is used again then.
    version: primary =>
      Math.min((reader.current()?.worldVersion ?? 0) + primary.worldVersionOffset, primary.worldVersion),
    lagMs: () =>
      reader.current()?.isReplica ? performance.now() - (stateOf ?? progress.since()) : undefined,
    tick: reader.tick,
    async close() {
      await reader.close()
      await closePools(pools)
    },
  }
}

/** How far the write-ahead log of the primary was at which time, for the last minute. */
export interface PrimaryProgress {
  record(heartbeat: Heartbeat, sentAt: number): void
  /** The last time at which the primary had written no more than this. */
  reachedAt(bytes: number): number | undefined
  /** The first time that is known. */
  since(): number
}

const keptMs = 61_000

export function createPrimaryProgress(): PrimaryProgress {
  let readings: { sentAt: number; bytes: number }[] = []
  let serverStartedAt: string | undefined
  return {
    record(heartbeat, sentAt) {
      if (heartbeat.serverStartedAt !== serverStartedAt) readings = []
      serverStartedAt = heartbeat.serverStartedAt
      if (heartbeat.walBytes !== null) readings.push({ sentAt, bytes: heartbeat.walBytes })
      const kept = readings.findIndex(reading => sentAt - reading.sentAt < keptMs)
      if (kept > 0) readings.splice(0, kept)
    },
    reachedAt: bytes => readings.findLast(reading => reading.bytes <= bytes)?.sentAt,
    since: () => readings[0]?.sentAt ?? performance.now(),
  }
}
