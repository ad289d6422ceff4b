import pg from 'pg'
import { type ConnectionTarget, type Database, databaseOver, sessionOptions, sql } from './database.ts'
import { createDatabaseClock } from './database-clock.ts'
import { isQueryTimeout } from './database-errors.ts'
import type { DatabaseHealth } from './guarded-pool.ts'
import { createSharedRun } from './shared-run.ts'

/** A reading of the versions that validate caches: two rows, of `chancery_world.pulse` and `chancery_access.pulse`, in one statement. */
export interface Heartbeat {
  /** The newest number in the log. */
  seq: number
  worldVersion: number
  accessVersion: number
  worldChangedAt: string | null
  /** The newest number of the change log. */
  changeSeq: number
  /** Increases when texts in the log were replaced. */
  redactionVersion: number
}

export interface Pulse extends DatabaseHealth {
  /** The latest heartbeat; undefined if it is older than `trustedMs`. */
  current(): Heartbeat | undefined
  /** Reads a new heartbeat. Rejects if the database is unavailable. */
  refresh(): Promise<Heartbeat>
  /**
   * Calls `listener` after every heartbeat that differs from the previous one in `seq`, `changeSeq` or a version.
   * Returns how to unsubscribe.
   */
  onChange(listener: (heartbeat: Heartbeat) => void): () => void
  /** How long a process that read a heartbeat just before it changed may use it. */
  trustedMs: number
  /** Unix ms by the database's clock, the same in all processes. */
  now(): number
  close(): Promise<void>
}

export interface PulseOptions {
  target: ConnectionTarget
  /** As for pools. */
  namesStatements?: boolean
  intervalMs?: number
  /** Maximum age of a trusted heartbeat. Below a second, so that a revocation is effective everywhere within a second. */
  trustedMs?: number
  /** The database is unresponsive if no query of this process succeeds for this time. With the interval below a second. */
  unresponsiveAfterMs?: number
  /** Multiplies all of these but the interval. */
  timeoutFactor?: number | undefined
}

const channel = 'chancery_pulse'

/** Timeout of the pulse's connection and its queries. A busy but healthy server responds within it. */
const connectionTimeoutMs = 1_500

/** Makes every process read both rows at once, instead of within 200 ms. */
export const notifyPulse = sql`select pg_notify(${channel}, '')`

/** Reads the heartbeat every 200 ms and after each notification, and decides from it whether the database responds. */
export function createPulse(options: PulseOptions): Pulse {
  const { target, namesStatements = true, intervalMs = 200, timeoutFactor = 1 } = options
  const { trustedMs = 900 * timeoutFactor, unresponsiveAfterMs = 600 * timeoutFactor } = options
  let heartbeat: Heartbeat | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isUnresponsive = false
  let deadline: NodeJS.Timeout | undefined
  let aliveAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  const listeners = new Set<(heartbeat: Heartbeat) => void>()
  const healthListeners = new Set<(isUnresponsive: boolean) => void>()
  const clock = createDatabaseClock()
  const connection = createPulseConnection({
    target,
    channel,
    onNotice: tick,
    timeoutMs: connectionTimeoutMs * timeoutFactor,
    namesStatements,
  })

  function setUnresponsive(is: boolean): void {
    if (isUnresponsive === is || isClosed) return
    isUnresponsive = is
    for (const listener of healthListeners) listener(is)
  }

  /** Starts the deadline with a query, not with its schedule: a busy process that sends no query learns nothing about the database. */
  function expectResponse(withinMs = unresponsiveAfterMs): void {
    // Timers run before sockets are read: responses that arrived while the process was busy are handled first.
    deadline ??= setTimeout(() => setImmediate(checkDeadline), withinMs).unref()
  }

  function checkDeadline(): void {
    if (deadline === undefined) return
    // Another query of this process succeeded meanwhile: the database is busy, but responds.
    const leftMs = aliveAt + unresponsiveAfterMs - performance.now()
    if (leftMs > 0) {
      deadline = undefined
      expectResponse(leftMs)
    } else setUnresponsive(true)
  }

  async function read(): Promise<Heartbeat> {
    // The age counts from before the query: the row is at least as new.
    const sentAt = performance.now()
    expectResponse()
    const row = await connection.run(db =>
      db.first<Heartbeat & { nowMs: number }>(sql`
        select w.seq, w.change_seq as "changeSeq", w.world_version as "worldVersion", a.version as "accessVersion",
          w.world_changed_at as "worldChangedAt", w.redaction_version as "redactionVersion",
          extract(epoch from clock_timestamp()) * 1000 as "nowMs"
        from chancery_world.pulse w, chancery_access.pulse a`),
    )
    if (!row) throw new Error('chancery_world.pulse has no row')
    const { nowMs, ...latest } = row
    clock.read(nowMs, { sentAt, receivedAt: performance.now() })
    clearTimeout(deadline)
    deadline = undefined
    const isNew =
      heartbeat?.seq !== latest.seq ||
      heartbeat.changeSeq !== latest.changeSeq ||
      heartbeat.redactionVersion !== latest.redactionVersion ||
      heartbeat.worldVersion !== latest.worldVersion ||
      heartbeat.accessVersion !== latest.accessVersion
    heartbeat = latest
    readAt = sentAt
    setUnresponsive(false)
    if (isNew) for (const listener of listeners) listener(latest)
    return latest
  }

  const reading = createSharedRun(read)
  function tick(): void {
    reading.join().catch(() => undefined)
  }
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  return {
    current: () => (performance.now() - readAt < trustedMs ? heartbeat : undefined),
    refresh: reading.fresh,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isUnresponsive: () => isUnresponsive,
    markAlive() {
      aliveAt = performance.now()
    },
    onHealthChange(listener) {
      healthListeners.add(listener)
      return () => healthListeners.delete(listener)
    },
    trustedMs,
    now: clock.now,
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      clearTimeout(deadline)
      // The driver neither resolves nor rejects a connection that is closed while it is being opened.
      await reading.finished()
      await connection.close()
    },
  }
}

/** A connection outside of the pools, so that the pulse never queues. */
interface PulseConnection {
  /** Runs a query, on a new connection if the last one broke; a failure closes the connection. One query at a time, which may run twice. */
  run<T>(query: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface PulseConnectionOptions {
  target: ConnectionTarget
  channel: string
  onNotice: () => void
  /** Timeout of connecting and of a query. */
  timeoutMs: number
  namesStatements: boolean
}

function createPulseConnection(options: PulseConnectionOptions): PulseConnection {
  const { target, channel, onNotice, timeoutMs, namesStatements } = options
  /** The one that is open, or being opened. */
  let current: pg.Client | undefined
  let isClosed = false

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...target,
      options: sessionOptions({ role: 'chancery_access', statementTimeoutMs: timeoutMs }),
      application_name: 'chancery pulse',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    })
    current = client
    client.on('notification', onNotice)
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    await client.connect()
    await client.query(`listen ${channel}`)
    return client
  }

  function drop(client: pg.Client): void {
    if (current === client) current = undefined
    client.end().catch(() => undefined)
  }

  async function runOn<T>(client: pg.Client, query: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await query(databaseOver(client, namesStatements))
    } catch (error) {
      drop(client)
      throw error
    }
  }

  async function runOnNew<T>(query: (db: Database) => Promise<T>): Promise<T> {
    const client = await connect().catch(error => {
      if (current) drop(current)
      throw error
    })
    return runOn(client, query)
  }

  return {
    async run(query) {
      if (isClosed) throw new Error('the pulse is closed')
      if (!current) return runOnNew(query)
      return runOn(current, query).catch(error => {
        // A connection that was closed while idle says nothing about the database.
        if (isClosed || isQueryTimeout(error)) throw error
        return runOnNew(query)
      })
    },
    async close() {
      isClosed = true
      await current?.end().catch(() => undefined)
    },
  }
}
