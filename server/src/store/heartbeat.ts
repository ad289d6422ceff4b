import pg from 'pg'
import { type ConnectionTarget, type Database, databaseOver, sessionOptions } from './database.ts'
import { isQueryTimeout } from './database-errors.ts'
import type { DatabaseHealth } from './guarded-pool.ts'
import { createSharedRun } from './shared-run.ts'

/** Times of a reading, by the clock of this process. */
export interface ReadingTimes {
  sentAt: number
  receivedAt: number
}

/** Reads one row of a database server every 200 ms, on a connection of its own, and decides from it whether the server responds. */
export interface HeartbeatReader<T> extends DatabaseHealth {
  /** The latest reading; undefined if it is older than `trustedMs`. */
  current(): T | undefined
  /** Reads again. Rejects if the server does not respond. */
  refresh(): Promise<T>
  /** Reads soon; joins the reading in progress. */
  tick(): void
  /** How long a process that read just before a change may use the reading. */
  trustedMs: number
  close(): Promise<void>
}

export interface HeartbeatTimings {
  intervalMs?: number
  /** Maximum age of a trusted reading. Below a second, so that a revocation is effective everywhere within a second. */
  trustedMs?: number
  /** The server is unresponsive if no query of this process succeeds for this time. With the interval below a second. */
  unresponsiveAfterMs?: number
  /** Multiplies all of these but the interval. */
  timeoutFactor?: number | undefined
}

export interface HeartbeatOptions<Row, T> extends HeartbeatTimings {
  target: ConnectionTarget
  /** As for pools. */
  namesStatements?: boolean
  name: string
  /** Called with each new connection, before the first query. */
  onConnect?: (client: pg.Client) => Promise<unknown>
  query: (db: Database) => Promise<Row>
  /** What is another text for another server, or another start of it: connections of before are then no longer used. */
  serverOf: (row: Row) => string
  /** A reading is not used after its connection has ended: the server may continue with an earlier state, as a replica that crashed. */
  endsWithConnection?: boolean
  /** Makes a reading of the row. May throw. */
  accept: (row: Row, times: ReadingTimes) => T
  /** Called with each reading, when `current` returns it. */
  onReading?: (reading: T, times: ReadingTimes) => void
}

/** Timeout of the connection and its queries. A busy but healthy server responds within it. */
const connectionTimeoutMs = 1_500

export function createHeartbeatReader<Row, T>(options: HeartbeatOptions<Row, T>): HeartbeatReader<T> {
  const { intervalMs = 200, timeoutFactor = 1, query, serverOf, accept, onReading } = options
  const { trustedMs = 900 * timeoutFactor, unresponsiveAfterMs = 600 * timeoutFactor } = options
  let latest: T | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isUnresponsive = false
  let deadline: NodeJS.Timeout | undefined
  let aliveAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  let server: string | undefined
  const healthListeners = new Set<(isUnresponsive: boolean) => void>()
  const serverListeners = new Set<() => void>()
  const connection = createConnection(options, connectionTimeoutMs * timeoutFactor, () => {
    if (options.endsWithConnection) readAt = Number.NEGATIVE_INFINITY
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

  async function read(): Promise<T> {
    // The age counts from before the query: the row is at least as new.
    const sentAt = performance.now()
    expectResponse()
    const row = await connection.run(query)
    clearTimeout(deadline)
    deadline = undefined
    const times = { sentAt, receivedAt: performance.now() }
    if (server !== undefined && server !== serverOf(row)) for (const listener of serverListeners) listener()
    server = serverOf(row)
    const reading = accept(row, times)
    latest = reading
    readAt = sentAt
    setUnresponsive(false)
    onReading?.(reading, times)
    return reading
  }

  const reading = createSharedRun(read)
  const tick = () => {
    reading.join().catch(() => undefined)
  }
  const timer = setInterval(tick, intervalMs)
  timer.unref()

  return {
    current: () => (performance.now() - readAt < trustedMs ? latest : undefined),
    refresh: reading.fresh,
    tick,
    trustedMs,
    isUnresponsive: () => isUnresponsive,
    markAlive() {
      aliveAt = performance.now()
    },
    onHealthChange(listener) {
      healthListeners.add(listener)
      return () => healthListeners.delete(listener)
    },
    onServerChange(listener) {
      serverListeners.add(listener)
      return () => serverListeners.delete(listener)
    },
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

/** A connection outside of the pools, so that a reading never queues. */
interface HeartbeatConnection {
  /** Runs a query, on a new connection if the last one broke; a failure closes the connection. One query at a time, which may run twice. */
  run<T>(query: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type ConnectionOptions = Pick<
  HeartbeatOptions<unknown, unknown>,
  'target' | 'name' | 'onConnect' | 'namesStatements'
>

/** `timeoutMs`: of connecting and of a query. */
function createConnection(
  options: ConnectionOptions,
  timeoutMs: number,
  onEnd: () => void,
): HeartbeatConnection {
  const { target, name, onConnect, namesStatements = true } = options
  /** The one that is open, or being opened. */
  let current: pg.Client | undefined
  let isClosed = false

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...target,
      options: sessionOptions({
        role: 'chancery_access',
        statementTimeoutMs: timeoutMs,
        settings: { synchronous_commit: 'local' },
      }),
      application_name: name,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    })
    current = client
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    await client.connect()
    await onConnect?.(client)
    return client
  }

  function drop(client: pg.Client): void {
    if (current === client) {
      current = undefined
      onEnd()
    }
    client.end().catch(() => undefined)
  }

  async function runOn<T>(client: pg.Client, query: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await query(databaseOver(client, { namesStatements }))
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
      if (isClosed) throw new Error(`${name} is closed`)
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
