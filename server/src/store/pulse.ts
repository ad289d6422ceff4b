import pg from 'pg'
import { type ConnectionTarget, type Database, databaseOver, sessionOptions, sql } from './database.ts'
import { createDatabaseClock } from './database-clock.ts'
import { isQueryTimeout } from './database-errors.ts'
import type { DatabaseHealth } from './guarded-pool.ts'

/** What every process must know to trust what it remembers. */
export interface Heartbeat {
  /** The newest number in the log. */
  seq: number
  /** The oldest number that is kept. */
  firstSeq: number
  worldVersion: number
  accessVersion: number
  worldChangedAt: string | null
  /** Moves when texts in the log were replaced. */
  redactionVersion: number
}

export interface Pulse extends DatabaseHealth {
  /** The latest heartbeat, or undefined while there is none young enough to trust. */
  current(): Heartbeat | undefined
  /** Reads the row anew. Rejects where the database is away. */
  refresh(): Promise<Heartbeat>
  /** Calls `listener` after every heartbeat that differs from the one before. Returns how to stop it. */
  onChange(listener: (heartbeat: Heartbeat) => void): () => void
  /** Unix ms by the database's clock: the one time that all processes agree on, whatever their own clocks say. */
  now(): number
  close(): Promise<void>
}

export interface PulseOptions {
  target: ConnectionTarget
  /** As for pools. */
  namesStatements?: boolean
  intervalMs?: number
  /** How old a heartbeat may be and still be trusted. Below a second: what was revoked a second ago no longer works. */
  trustedMs?: number
  /** For how long nobody may be answered while the pulse asks. With the interval below a second: so soon whoever waits is told. */
  unresponsiveAfterMs?: number
  /** How many times as long as usual all of these, but the interval, are. */
  timeoutFactor?: number | undefined
}

const channel = 'chancery_pulse'

/** A connection that is dead without a word is given up after this; a machine that is only busy has answered by then. */
const connectionTimeoutMs = 1_500

/** Says to every process that the row has changed. It only hastens them: the row is read anyway. */
export const notifyPulse = sql`select pg_notify(${channel}, '')`

/** Reads the pulse every 200 ms, and at once when told of a change. */
export function createPulse(options: PulseOptions): Pulse {
  const { target, namesStatements = true, intervalMs = 200, timeoutFactor = 1 } = options
  const { trustedMs = 900 * timeoutFactor, unresponsiveAfterMs = 600 * timeoutFactor } = options
  let heartbeat: Heartbeat | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<Heartbeat> | undefined
  let following: Promise<Heartbeat> | undefined
  let isUnresponsive = false
  let deadline: NodeJS.Timeout | undefined
  let aliveAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  const listeners = new Set<(heartbeat: Heartbeat) => void>()
  const healthListeners = new Set<(isUnresponsive: boolean) => void>()
  const clock = createDatabaseClock()
  const connection = keepPulseConnection({
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

  /** Counts from the first question that is not answered: a process that was too busy to ask knows nothing of the database. */
  function expectResponse(withinMs = unresponsiveAfterMs): void {
    // Timers run before sockets are read: what has arrived while the process was busy is looked at first.
    deadline ??= setTimeout(() => setImmediate(checkDeadline), withinMs).unref()
  }

  function checkDeadline(): void {
    if (deadline === undefined) return
    // Whoever else was answered meanwhile was answered by the same database: it is busy, not silent.
    const leftMs = aliveAt + unresponsiveAfterMs - performance.now()
    if (leftMs > 0) {
      deadline = undefined
      expectResponse(leftMs)
    } else setUnresponsive(true)
  }

  async function read(): Promise<Heartbeat> {
    // The age counts from before the question: the answer is at least as new.
    const askedAt = performance.now()
    expectResponse()
    const row = await connection.ask(db =>
      db.first<Heartbeat & { nowMs: number }>(sql`
        select w.seq, w.first_seq as "firstSeq", w.world_version as "worldVersion", a.version as "accessVersion",
          w.world_changed_at as "worldChangedAt", w.redaction_version as "redactionVersion",
          extract(epoch from clock_timestamp()) * 1000 as "nowMs"
        from chancery_world.pulse w, chancery_access.pulse a`),
    )
    if (!row) throw new Error('the pulse has no row')
    const { nowMs, ...latest } = row
    clock.read(nowMs, { askedAt, answeredAt: performance.now() })
    clearTimeout(deadline)
    deadline = undefined
    const isNew =
      heartbeat?.seq !== latest.seq ||
      heartbeat.redactionVersion !== latest.redactionVersion ||
      heartbeat.worldVersion !== latest.worldVersion ||
      heartbeat.accessVersion !== latest.accessVersion
    heartbeat = latest
    readAt = askedAt
    setUnresponsive(false)
    if (isNew) for (const listener of listeners) listener(latest)
    return latest
  }

  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  /** Whatever runs may be from before: the one after it is new to all who ask meanwhile. */
  const readAfter = (running: Promise<Heartbeat>) => {
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return readOnce()
      })
    return following
  }
  function tick(): void {
    readOnce().catch(() => undefined)
  }
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  return {
    current: () => (performance.now() - readAt < trustedMs ? heartbeat : undefined),
    refresh: () => (reading ? readAfter(reading) : readOnce()),
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
    now: clock.now,
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      clearTimeout(deadline)
      // The driver never says what became of a connection that is closed while it is being opened.
      await reading?.catch(() => undefined)
      await connection.close()
    },
  }
}

/** The pulse's own connection: nobody stands before it in a line. */
export interface PulseConnection {
  /** Asks over the connection, made anew where it broke; whatever fails ends it. One question at a time, which may be asked twice. */
  ask<T>(question: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface PulseConnectionOptions {
  target: ConnectionTarget
  channel: string
  onNotice: () => void
  /** How long a connection or an answer is waited for. */
  timeoutMs: number
  namesStatements: boolean
}

export function keepPulseConnection(options: PulseConnectionOptions): PulseConnection {
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

  async function askOn<T>(client: pg.Client, question: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await question(databaseOver(client, namesStatements))
    } catch (error) {
      drop(client)
      throw error
    }
  }

  async function askAnew<T>(question: (db: Database) => Promise<T>): Promise<T> {
    const client = await connect().catch(error => {
      if (current) drop(current)
      throw error
    })
    return askOn(client, question)
  }

  return {
    async ask(question) {
      if (isClosed) throw new Error('the pulse is closed')
      if (!current) return askAnew(question)
      return askOn(current, question).catch(error => {
        // One that was ended while nobody asked says nothing of the database.
        if (isClosed || isQueryTimeout(error)) throw error
        return askAnew(question)
      })
    },
    async close() {
      isClosed = true
      await current?.end().catch(() => undefined)
    },
  }
}
