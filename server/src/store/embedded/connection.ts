import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { superuser } from './cluster.ts'
import type { ClusterEnvironment } from './cluster-environment.ts'
import { EmbeddedError, isErrno } from './errors.ts'
import { isReady } from './server-process.ts'
import type { ServerSocket } from './socket.ts'

export interface Connection {
  client: Client
  /** The process may end while only this is open. */
  unref(): void
}

const pollMs = 5
/** Between two attempts while the server is not ready. Each attempt costs it a process and a log line, which slows recovery down. */
const unreadyAttemptMs = 250
/** Maximum time without any response of a running server. */
const responseTimeoutMs = 15_000
const reportMs = 10_000

/** cannot_connect_now: starting, recovering or stopping; too_many_connections: those of a killed process are not closed yet. */
const busyCodes = new Set(['57P03', '53300'])
const unreachableCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

/** Connects as soon as the server accepts connections. Undefined if it exits before. */
export async function connect(
  { cluster, log }: Pick<ClusterEnvironment, 'cluster' | 'log'>,
  socket: ServerSocket,
  isRunning: () => boolean,
): Promise<Connection | undefined> {
  let lastResponseAt = Date.now()
  let lastReportAt = Date.now()
  let nextAttempt = 0
  while (isRunning()) {
    if (Date.now() < nextAttempt && !(await isReady(cluster))) {
      await sleep(pollMs)
      continue
    }
    nextAttempt = Date.now() + unreadyAttemptMs
    const attempt = await tryConnect(socket)
    if ('client' in attempt) return attempt
    if (attempt.isBusy) lastResponseAt = Date.now()
    if (Date.now() - lastResponseAt > responseTimeoutMs)
      throw new EmbeddedError(
        `PostgreSQL runs but does not respond at ${socket.host} (${attempt.reason}): end it (its process id is the first line of postgres/postmaster.pid in the data directory) and start again`,
      )
    if (Date.now() - lastReportAt > reportMs) {
      log(`waiting for PostgreSQL: ${attempt.reason}`)
      lastReportAt = Date.now()
    }
    await sleep(pollMs)
  }
  return undefined
}

async function tryConnect(socket: ServerSocket): Promise<Connection | { isBusy: boolean; reason: string }> {
  const stream = new Socket()
  const client = new Client({
    host: socket.host,
    port: socket.port,
    user: superuser,
    password: socket.password,
    // It always exists, and is never used as a template.
    database: 'postgres',
    ssl: false,
    application_name: 'chancery: watch',
    connectionTimeoutMillis: 5_000,
    stream: () => stream,
  })
  // A lost connection also emits 'end'; without a listener 'error' would exit the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return { client, unref: () => stream.unref() }
  } catch (err) {
    stream.destroy()
    const code = isErrno(err) ? err.code : undefined
    const reason = err instanceof Error ? err.message : String(err)
    if (code !== undefined && !busyCodes.has(code) && !unreachableCodes.has(code))
      throw new EmbeddedError(`PostgreSQL refuses the connection at ${socket.host}: ${reason}`)
    return { isBusy: code !== undefined && busyCodes.has(code), reason }
  }
}

export interface Watch {
  /** Calls back once when the server has exited, also if it already has. */
  onGone(listener: () => void): void
  /** Closes the connection without calling back. */
  close(): void
}

/** 'CHNC', 1. The lock marks the one process that owns the bundled server. */
const lockKey = [0x43484e43, 1]
/** The backend of a killed process releases the lock within this time. */
const lockTimeoutMs = 1_000

/** Takes the lock of the server's owner. PostgreSQL releases it with the connection. */
export async function takeLock(client: Client): Promise<boolean> {
  const deadline = Date.now() + lockTimeoutMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      lockKey,
    )
    if (rows[0]?.taken) return true
    if (Date.now() > deadline) return false
    await sleep(20)
  }
}

/**
 * Keeps the connection with the lock, whose loss is the first sign that the server has exited. After the crash of a single backend
 * PostgreSQL restarts itself, and the lock is taken again.
 */
export function watchConnection(first: Connection, reconnect: () => Promise<Connection | undefined>): Watch {
  const listeners: (() => void)[] = []
  let isClosed = false
  let isGone = false
  let current = first

  function watch(connection: Connection): void {
    current = connection
    connection.unref()
    connection.client.once('end', () => void recover())
  }

  async function recover(): Promise<void> {
    if (isClosed) return
    const next = await reconnect().catch(() => undefined)
    const hasLock = next !== undefined && (await takeLock(next.client).catch(() => false))
    if (isClosed) {
      next?.client.end()
      return
    }
    if (next && hasLock) return watch(next)
    isGone = true
    for (const listener of listeners) listener()
  }

  watch(first)
  return {
    onGone: listener => {
      if (isGone) queueMicrotask(listener)
      else listeners.push(listener)
    },
    close: () => {
      isClosed = true
      current.client.end().catch(() => {})
    },
  }
}
