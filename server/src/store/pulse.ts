import { type ConnectionTarget, type Database, sql } from './database.ts'
import { createDatabaseClock } from './database-clock.ts'
import { OtherServerError } from './database-errors.ts'
import { createHeartbeatReader, type HeartbeatReader, type HeartbeatTimings } from './heartbeat.ts'

/** A reading of the versions that validate caches: two rows, of `chancery_world.pulse` and `chancery_access.pulse`, in one statement. */
export interface Heartbeat {
  /** The newest number in the log. */
  seq: number
  /** The first number in it: events before have expired. */
  firstSeq: number
  worldVersion: number
  accessVersion: number
  worldChangedAt: string | null
  /** The newest number of the change log. */
  changeSeq: number
  /** Changes up to this number are no longer stored. */
  changeFloor: number
  /** Increases with each redaction and erasure. */
  redactionVersion: number
  /** When the database server started: another time after a restart or a failover. */
  serverStartedAt: string
  /** What `worldVersion` is above the version in the database. */
  worldVersionOffset: number
  /** How far the write-ahead log was written, in bytes; null where no replica has to be compared. */
  walBytes: number | null
}

export interface Pulse extends Omit<HeartbeatReader<Heartbeat>, 'tick'> {
  /**
   * Calls `listener` after every heartbeat that differs from the previous one in `seq`, `changeSeq` or a version.
   * Returns how to unsubscribe.
   */
  onChange(listener: (heartbeat: Heartbeat) => void): () => void
  /** Calls `listener` after every heartbeat, with the time before it was read. */
  onRead(listener: (heartbeat: Heartbeat, sentAt: number) => void): void
  /** Unix ms by the database's clock, the same in all processes. */
  now(): number
}

export interface PulseOptions extends HeartbeatTimings {
  target: ConnectionTarget
  /** As for pools. */
  namesStatements?: boolean
  /** Read `walBytes`. */
  hasReplicas?: boolean
}

const channel = 'chancery_pulse'

/** Makes every process read both rows at once, instead of within 200 ms. */
export const notifyPulse = sql`select pg_notify(${channel}, '')`

/**
 * Recorded by the first process that reads it: a replica that follows another server, also one that this server replaced, does not have it.
 * The connection does not wait for synchronous replicas, which may be absent after a failover.
 */
const recordServer = sql`
  update chancery_access.pulse set server_started_at = pg_postmaster_start_time()
  where server_started_at is distinct from pg_postmaster_start_time()`

/** How long after a failure it is recorded again. */
const recordEveryMs = 5_000

interface HeartbeatRow extends Omit<Heartbeat, 'worldVersionOffset'> {
  nowMs: number
  isReplica: boolean
  recordedStart: string | null
}

/** Reads the heartbeat every 200 ms and after each notification. */
export function createPulse({ hasReplicas = false, ...options }: PulseOptions): Pulse {
  let heartbeat: Heartbeat | undefined
  let tried: string | undefined
  let retriesAt = 0
  const offsets = { worldVersion: 0, accessVersion: 0 }
  const listeners = new Set<(heartbeat: Heartbeat) => void>()
  const readListeners = new Set<(heartbeat: Heartbeat, sentAt: number) => void>()
  const clock = createDatabaseClock()
  const walBytes = hasReplicas ? sql`pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')` : sql`null::bigint`

  /**
   * A server that was promoted may lack the last transactions of the one that it replaces, and use their versions again. Whatever was cached
   * before is never valid after another start: the versions of this process continue above.
   */
  function continueVersions(row: Pick<HeartbeatRow, 'worldVersion' | 'accessVersion'>): void {
    for (const name of ['worldVersion', 'accessVersion'] as const)
      offsets[name] = Math.max(offsets[name], (heartbeat?.[name] ?? 0) + 1 - row[name])
  }

  async function query(db: Database): Promise<HeartbeatRow> {
    const row = await db.first<HeartbeatRow>(sql`
      select w.seq, w.first_seq as "firstSeq", w.change_seq as "changeSeq", w.change_floor as "changeFloor", w.world_version as "worldVersion",
        a.version as "accessVersion", w.world_changed_at as "worldChangedAt", w.redaction_version as "redactionVersion",
        pg_is_in_recovery() as "isReplica", pg_postmaster_start_time() as "serverStartedAt",
        a.server_started_at as "recordedStart", ${walBytes} as "walBytes",
        extract(epoch from clock_timestamp()) * 1000 as "nowMs"
      from chancery_world.pulse w, chancery_access.pulse a`)
    if (!row) throw new Error('chancery_world.pulse has no row')
    if (row.isReplica) throw new OtherServerError()
    const { recordedStart, serverStartedAt } = row
    if (recordedStart !== serverStartedAt && (serverStartedAt !== tried || performance.now() >= retriesAt)) {
      tried = serverStartedAt
      retriesAt = performance.now() + recordEveryMs
      // A database that accepts no writes is still read. Its replicas are not, because they have no record.
      await db.rows(recordServer).catch(() => undefined)
    }
    return row
  }

  const reader = createHeartbeatReader<HeartbeatRow, Heartbeat>({
    ...options,
    name: 'chancery pulse',
    async onConnect(client) {
      client.on('notification', reader.tick)
      await client.query(`listen ${channel}`)
    },
    query,
    serverOf: ({ serverStartedAt }) => serverStartedAt,
    accept({ nowMs, isReplica: _isReplica, recordedStart: _recordedStart, ...row }, times) {
      clock.read(nowMs, times)
      if (heartbeat && heartbeat.serverStartedAt !== row.serverStartedAt) continueVersions(row)
      return {
        ...row,
        worldVersion: row.worldVersion + offsets.worldVersion,
        accessVersion: row.accessVersion + offsets.accessVersion,
        worldVersionOffset: offsets.worldVersion,
      }
    },
    onReading(latest, { sentAt }) {
      const isNew =
        heartbeat?.seq !== latest.seq ||
        heartbeat.changeSeq !== latest.changeSeq ||
        heartbeat.changeFloor !== latest.changeFloor ||
        heartbeat.redactionVersion !== latest.redactionVersion ||
        heartbeat.worldVersion !== latest.worldVersion ||
        heartbeat.accessVersion !== latest.accessVersion
      heartbeat = latest
      for (const listener of readListeners) listener(latest, sentAt)
      if (isNew) for (const listener of listeners) listener(latest)
    },
  })

  return {
    ...reader,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onRead(listener) {
      readListeners.add(listener)
    },
    now: clock.now,
  }
}
