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
/** While the server says that it is not ready. Each attempt costs it a process and a line in its log, which recovery has no time for. */
const unreadyAttemptMs = 250
/** A process that lives but does not even say that it is starting is given up after this. */
const silenceMs = 15_000
const reportMs = 10_000

/** cannot_connect_now: starting, recovering or stopping; too_many_connections: a killed parent's are not gone yet. */
const busyCodes = new Set(['57P03', '53300'])
const silentCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

/** Connects as soon as the server lets us in. Undefined if it ended before. */
export async function connect(
  { cluster, log }: Pick<ClusterEnvironment, 'cluster' | 'log'>,
  door: ServerSocket,
  isRunning: () => boolean,
): Promise<Connection | undefined> {
  let lastWord = Date.now()
  let lastReport = Date.now()
  let nextAttempt = 0
  while (isRunning()) {
    if (Date.now() < nextAttempt && !(await isReady(cluster))) {
      await sleep(pollMs)
      continue
    }
    nextAttempt = Date.now() + unreadyAttemptMs
    const attempt = await tryConnect(door)
    if ('client' in attempt) return attempt
    if (attempt.isBusy) lastWord = Date.now()
    if (Date.now() - lastWord > silenceMs)
      throw new EmbeddedError(
        `PostgreSQL runs but does not answer at ${door.host} (${attempt.reason}): end it (its process id is the first line of postgres/postmaster.pid in the data directory) and start again`,
      )
    if (Date.now() - lastReport > reportMs) {
      log(`waiting for PostgreSQL: ${attempt.reason}`)
      lastReport = Date.now()
    }
    await sleep(pollMs)
  }
  return undefined
}

async function tryConnect(door: ServerSocket): Promise<Connection | { isBusy: boolean; reason: string }> {
  const socket = new Socket()
  const client = new Client({
    host: door.host,
    port: door.port,
    user: superuser,
    password: door.password,
    // Always there, and nobody makes templates of it.
    database: 'postgres',
    ssl: false,
    application_name: 'chancery: watch',
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  })
  // A lost connection is told by 'end' as well; without a listener 'error' would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return { client, unref: () => socket.unref() }
  } catch (err) {
    socket.destroy()
    const code = isErrno(err) ? err.code : undefined
    const reason = err instanceof Error ? err.message : String(err)
    if (code !== undefined && !busyCodes.has(code) && !silentCodes.has(code))
      throw new EmbeddedError(`PostgreSQL refuses us at ${door.host}: ${reason}`)
    return { isBusy: code !== undefined && busyCodes.has(code), reason }
  }
}

export interface Watch {
  /** Calls back once when the server is gone, at once if it is already. */
  onGone(listener: () => void): void
  /** Lets go without calling back. */
  close(): void
}

/** 'CHNC' and one: the bundled server has one Chancery. */
const lockKey = [0x43484e43, 1]
/** The back end of a killed holder gets this long to notice. */
const patienceMs = 1_000

/** Takes the lock that says whose server this is. PostgreSQL drops it with the connection. */
export async function takeLock(client: Client): Promise<boolean> {
  const deadline = Date.now() + patienceMs
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
 * Keeps the connection with the lock. Its loss is the first sign that the server died;
 * after the crash of a single back end PostgreSQL restarts itself, and the lock is taken anew.
 */
export function watchConnection(first: Connection, reconnect: () => Promise<Connection | undefined>): Watch {
  const listeners: (() => void)[] = []
  let isClosed = false
  let isGone = false
  let current = first

  function attend(connection: Connection): void {
    current = connection
    connection.unref()
    connection.client.once('end', () => void recover())
  }

  async function recover(): Promise<void> {
    if (isClosed) return
    const next = await reconnect().catch(() => undefined)
    const isKept = next !== undefined && (await takeLock(next.client).catch(() => false))
    if (isClosed) {
      next?.client.end()
      return
    }
    if (next && isKept) return attend(next)
    isGone = true
    for (const listener of listeners) listener()
  }

  attend(first)
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
