import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { superuser } from './cluster.ts'
import { type ClusterEnvironment, prepareEnvironment } from './cluster-environment.ts'
import { type Connection, connect, takeLock, watchConnection } from './connection.ts'
import { alreadyRunningError, type DataDirLock, lockDataDir, openDataDir } from './data-dir.ts'
import { diskFullError, EmbeddedError, explainDiskError } from './errors.ts'
import { type Host, thisHost } from './host.ts'
import { isAlive } from './processes.ts'
import {
  clearLeftovers,
  connectionsTotal,
  findPostmaster,
  launchServer,
  logPath,
  type Postmaster,
  stopPostmaster,
} from './server-process.ts'
import { closeSocket, openSocket, type ServerSocket } from './socket.ts'
import { endWatchdogs, startWatchdog, type Watchdog } from './watchdog.ts'

/**
 * The bundled PostgreSQL: started as a child process on a data directory, or adopted if an earlier process that was killed left it running.
 * One Chancery to a data directory; a crash never leaves a partial cluster; the server is stopped when this process exits in any way.
 * Start reading at `startOn`.
 */
export interface EmbeddedOptions {
  /** Created if missing. The cluster is `postgres` in it, or the target of a symbolic link of that name. */
  dataDir: string
  /** False: faster, but not crash-safe; for tests. Default true. */
  fsync?: boolean
  /** Connections that the pools of this process may open together. Default 100. */
  maxConnections?: number
  log?: (message: string) => void
}

export interface EmbeddedServer {
  connection: {
    /** The directory of a Unix socket, or 127.0.0.1. */
    host: string
    port: number
    user: string
    password?: string
    database: string
  }
  /** An earlier process that was killed left the server running. */
  isAdopted: boolean
  /** The database was created by this start. */
  isNew: boolean
  /** Called once if the server exits without close(), also if it already has. */
  onExit(listener: (reason: string) => void): void
  /** Stops the server after a last checkpoint, and resolves when it has exited. */
  close(): Promise<void>
}

const databaseName = 'chancery'

/**
 * Starts the bundled PostgreSQL on a data directory, or adopts the one running there.
 * @throws {EmbeddedError}
 */
export function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  return startOn(thisHost(), options)
}

/** The same on the machine that `host` describes. */
export async function startOn(host: Host, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { fsync = true, maxConnections = 100, log = () => {} } = options
  let lock: DataDirLock | undefined
  try {
    const dataDir = await openDataDir(options.dataDir)
    lock = await lockDataDir(dataDir)
    const environment = await prepareEnvironment(host, dataDir, { fsync, maxConnections }, log)
    return await open(environment, lock)
  } catch (err) {
    lock?.release()
    throw explainDiskError(err, options.dataDir)
  }
}

async function open(environment: ClusterEnvironment, lock: DataDirLock): Promise<EmbeddedServer> {
  const up = await startOrAdopt(environment)
  try {
    const isNew = await ensureDatabase(up.connection.client)
    return serve(environment, lock, up, isNew)
  } catch (err) {
    await up.connection.client.end()
    await stopPostmaster(environment.cluster, environment.binaries)
    up.watchdog.close()
    await closeSocket(up.socket)
    throw err
  }
}

async function ensureDatabase(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
  if (rowCount !== 0) return false
  await client.query(`create database ${databaseName}`)
  return true
}

function serve(
  environment: ClusterEnvironment,
  lock: DataDirLock,
  up: RunningCluster,
  isNew: boolean,
): EmbeddedServer {
  const { socket } = up
  let closing: Promise<void> | undefined
  const watch = watchConnection(up.connection, () =>
    connect(environment, socket, () => closing === undefined && up.isRunning()),
  )

  async function stop(): Promise<void> {
    watch.close()
    await stopPostmaster(environment.cluster, environment.binaries)
    up.watchdog.close()
    await closeSocket(socket)
    lock.release()
  }

  return {
    connection: {
      host: socket.host,
      port: socket.port,
      user: superuser,
      ...(socket.password !== undefined && { password: socket.password }),
      database: databaseName,
    },
    isAdopted: up.isAdopted,
    isNew,
    onExit: listener =>
      watch.onGone(() => listener(`PostgreSQL exited unexpectedly: see ${logPath(environment.dataDir)}`)),
    close: () => {
      closing ??= stop()
      return closing
    },
  }
}

/** A server that accepts connections, and the connection with the owner's lock. */
interface RunningCluster {
  connection: Connection
  socket: ServerSocket
  watchdog: Watchdog
  isAdopted: boolean
  isRunning(): boolean
}

/** Killed backends without a title may hold the shared memory for this long. */
const sharedMemoryTimeoutMs = 10_000

/** Adopts the server that a killed process left running, or starts one. */
async function startOrAdopt(environment: ClusterEnvironment): Promise<RunningCluster> {
  const deadline = Date.now() + sharedMemoryTimeoutMs
  for (;;) {
    const survivor = await findPostmaster(environment.cluster)
    if (survivor) {
      const up = await adopt(environment, survivor)
      if (up) return up
      continue
    }
    await clearLeftovers(environment.cluster, environment.user?.uid ?? process.geteuid?.())
    const outcome = await start(environment)
    if ('connection' in outcome) return outcome
    const isInUse = /still in use|already exists/.test(outcome.lastError)
    if (!isInUse) await closeSocket(outcome.socket)
    if (!isInUse || Date.now() > deadline) throw explain(environment, outcome.lastError)
    await sleep(100)
  }
}

/** Undefined if the server exited meanwhile, or was stopped because its settings differ. */
async function adopt(
  environment: ClusterEnvironment,
  survivor: Postmaster,
): Promise<RunningCluster | undefined> {
  if (!survivor.address) {
    await sleep(10)
    return undefined
  }
  // First: its grace period may end at any moment. If it has begun to stop the server, `connect` waits for the exit.
  await endWatchdogs(environment)
  const { port, socketDir } = survivor.address
  const host = environment.host.hasUnixSockets ? socketDir : '127.0.0.1'
  const socket = { host, port, password: environment.password }
  const isRunning = () => isAlive(survivor.pid)
  const watchdog = startWatchdog(environment, survivor.pid, isRunning)
  try {
    const connection = await connect(environment, socket, isRunning)
    if (connection && !(await takeLock(connection.client))) {
      await connection.client.end()
      throw alreadyRunningError(environment.dataDir)
    }
    if (connection && (await hasSettings(environment, connection.client))) {
      environment.log(`adopted the PostgreSQL (process ${survivor.pid}) of an earlier process`)
      return { connection, socket, watchdog, isAdopted: true, isRunning }
    }
    if (connection) {
      environment.log(
        `restarting the PostgreSQL (process ${survivor.pid}) of an earlier process with other settings`,
      )
      await connection.client.end()
      await stopPostmaster(environment.cluster, environment.binaries)
    }
  } catch (err) {
    // The server belongs to another process.
    watchdog.close()
    throw err
  }
  watchdog.close()
  return undefined
}

async function hasSettings(environment: ClusterEnvironment, client: Client): Promise<boolean> {
  const { rows } = await client.query<{ dir: string; fsync: string; connections: string }>(
    `select current_setting('data_directory') as dir, current_setting('fsync') as fsync,
            current_setting('max_connections') as connections`,
  )
  const [is] = rows
  if (is?.dir !== environment.cluster.dir)
    throw new EmbeddedError(
      `a PostgreSQL of another directory (${is?.dir}) responds on the socket of ${environment.cluster.dir}: stop it, or remove postmaster.pid there`,
    )
  return (
    is.fsync === (environment.settings.fsync ? 'on' : 'off') &&
    Number(is.connections) === connectionsTotal(environment.settings)
  )
}

async function start(
  environment: ClusterEnvironment,
): Promise<RunningCluster | { lastError: string; socket: ServerSocket }> {
  const socket = await openSocket(
    environment.host,
    environment.cluster,
    environment.user,
    environment.password,
  )
  const launched = await launchServer({ ...environment, socket })
  if (launched.pid === undefined) return { lastError: await launched.lastError(), socket }
  const watchdog = startWatchdog(environment, launched.pid, launched.isRunning)
  try {
    const connection = await connect(environment, socket, launched.isRunning)
    if (!connection) {
      watchdog.close()
      return { lastError: await launched.lastError(), socket }
    }
    // This process has the data directory's lock: only a foreign client can have taken the server's.
    if (!(await takeLock(connection.client))) throw alreadyRunningError(environment.dataDir)
    return { connection, socket, watchdog, isAdopted: false, isRunning: launched.isRunning }
  } catch (err) {
    await stopPostmaster(environment.cluster, environment.binaries)
    watchdog.close()
    await closeSocket(socket)
    throw err
  }
}

function explain(environment: ClusterEnvironment, lastError: string): EmbeddedError {
  if (lastError.includes('No space left on device')) return diskFullError(environment.cluster.dir)
  if (/"pg_wal"|checkpoint record|could not open file "pg_wal/.test(lastError))
    return new EmbeddedError(
      `the write-ahead log of the database (${environment.cluster.dir}/pg_wal) is missing or damaged: restore the complete directory, or move ${environment.cluster.dir} away and run chancery restore with the latest backup; the log of PostgreSQL is ${logPath(environment.dataDir)}`,
    )
  return new EmbeddedError(
    `PostgreSQL does not start: ${lastError} (its log is ${logPath(environment.dataDir)})`,
  )
}
