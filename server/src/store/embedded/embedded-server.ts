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

export interface EmbeddedOptions {
  /** Made if missing. The cluster is `postgres` in it, or where a symbolic link of that name points. */
  dataDir: string
  /** False gives up crash safety for speed: for tests. Default true. */
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
  /** True if the server was left by an earlier run that was killed. */
  isAdopted: boolean
  /** True if the database was made by this start. */
  isNew: boolean
  /** Called once if the server ends without close(), at once if it already has. */
  onExit(listener: (reason: string) => void): void
  /** Stops the server after a last checkpoint, and resolves when it is gone. */
  close(): Promise<void>
}

const databaseName = 'chancery'

/** Starts the bundled PostgreSQL on a data directory, or adopts the one running there. Throws EmbeddedError. */
export function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  return startOn(thisHost(), options)
}

/** The same on a machine described by the caller. */
export async function startOn(host: Host, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { fsync = true, maxConnections = 100, log = () => {} } = options
  let lock: DataDirLock | undefined
  try {
    const dataDir = await openDataDir(options.dataDir)
    lock = await lockDataDir(dataDir)
    const site = await prepareEnvironment(host, dataDir, { fsync, maxConnections }, log)
    return await open(site, lock)
  } catch (err) {
    lock?.release()
    throw explainDiskError(err, options.dataDir)
  }
}

async function open(site: ClusterEnvironment, lock: DataDirLock): Promise<EmbeddedServer> {
  const up = await startOrAdopt(site)
  try {
    const isNew = await ensureDatabase(up.connection.client)
    return serve(site, lock, up, isNew)
  } catch (err) {
    await up.connection.client.end()
    await stopPostmaster(site.cluster, site.binaries)
    up.watchdog.close()
    await closeSocket(up.door)
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
  site: ClusterEnvironment,
  lock: DataDirLock,
  up: RunningCluster,
  isNew: boolean,
): EmbeddedServer {
  const { door } = up
  let closing: Promise<void> | undefined
  const watch = watchConnection(up.connection, () =>
    connect(site, door, () => closing === undefined && up.isRunning()),
  )

  async function stop(): Promise<void> {
    watch.close()
    await stopPostmaster(site.cluster, site.binaries)
    up.watchdog.close()
    await closeSocket(door)
    lock.release()
  }

  return {
    connection: {
      host: door.host,
      port: door.port,
      user: superuser,
      ...(door.password !== undefined && { password: door.password }),
      database: databaseName,
    },
    isAdopted: up.isAdopted,
    isNew,
    onExit: listener =>
      watch.onGone(() => listener(`PostgreSQL ended unexpectedly: see ${logPath(site.dataDir)}`)),
    close: () => {
      closing ??= stop()
      return closing
    },
  }
}

/** A server that lets us in, and the connection that holds its lock. */
export interface RunningCluster {
  connection: Connection
  door: ServerSocket
  watchdog: Watchdog
  isAdopted: boolean
  isRunning(): boolean
}

/** Killed back ends that have no title yet hold the shared memory this long at the most. */
const patienceMs = 10_000

/** Adopts the server that a killed parent left, else starts one. */
export async function startOrAdopt(site: ClusterEnvironment): Promise<RunningCluster> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const survivor = await findPostmaster(site.cluster)
    if (survivor) {
      const up = await adopt(site, survivor)
      if (up) return up
      continue
    }
    await clearLeftovers(site.cluster, site.user?.uid ?? process.geteuid?.())
    const outcome = await start(site)
    if ('connection' in outcome) return outcome
    const isHeld = /still in use|already exists/.test(outcome.lastWords)
    if (!isHeld) await closeSocket(outcome.door)
    if (!isHeld || Date.now() > deadline) throw explain(site, outcome.lastWords)
    await sleep(100)
  }
}

/** Undefined if it went away meanwhile, or had to because it runs with other settings than ours. */
async function adopt(site: ClusterEnvironment, survivor: Postmaster): Promise<RunningCluster | undefined> {
  if (!survivor.address) {
    await sleep(10)
    return undefined
  }
  // First of all: its grace may end at any moment. A server that it has begun to stop is waited for like one that starts.
  await endWatchdogs(site)
  const { port, socketDir } = survivor.address
  const host = site.host.hasUnixSockets ? socketDir : '127.0.0.1'
  const door = { host, port, password: site.password }
  const isRunning = () => isAlive(survivor.pid)
  const watchdog = startWatchdog(site, survivor.pid, isRunning)
  try {
    const connection = await connect(site, door, isRunning)
    if (connection && !(await takeLock(connection.client))) {
      await connection.client.end()
      throw alreadyRunningError(site.dataDir)
    }
    if (connection && (await isAsWanted(site, connection.client))) {
      site.log(`took over the PostgreSQL (process ${survivor.pid}) that an earlier run left`)
      return { connection, door, watchdog, isAdopted: true, isRunning }
    }
    if (connection) {
      site.log(
        `restarting the PostgreSQL (process ${survivor.pid}) that an earlier run left with other settings`,
      )
      await connection.client.end()
      await stopPostmaster(site.cluster, site.binaries)
    }
  } catch (err) {
    // Not ours to stop.
    watchdog.close()
    throw err
  }
  watchdog.close()
  return undefined
}

async function isAsWanted(site: ClusterEnvironment, client: Client): Promise<boolean> {
  const { rows } = await client.query<{ dir: string; fsync: string; connections: string }>(
    `select current_setting('data_directory') as dir, current_setting('fsync') as fsync,
            current_setting('max_connections') as connections`,
  )
  const [is] = rows
  if (is?.dir !== site.cluster.dir)
    throw new EmbeddedError(
      `a PostgreSQL of another directory (${is?.dir}) answers for ${site.cluster.dir}: stop it, or remove postmaster.pid there`,
    )
  return (
    is.fsync === (site.settings.fsync ? 'on' : 'off') &&
    Number(is.connections) === connectionsTotal(site.settings)
  )
}

async function start(
  site: ClusterEnvironment,
): Promise<RunningCluster | { lastWords: string; door: ServerSocket }> {
  const door = await openSocket(site.host, site.cluster, site.user, site.password)
  const launched = await launchServer({ ...site, door })
  if (launched.pid === undefined) return { lastWords: await launched.lastError(), door }
  const watchdog = startWatchdog(site, launched.pid, launched.isRunning)
  try {
    const connection = await connect(site, door, launched.isRunning)
    if (!connection) {
      watchdog.close()
      return { lastWords: await launched.lastError(), door }
    }
    // Only a stranger's client could be quicker: we hold the data directory's lock.
    if (!(await takeLock(connection.client))) throw alreadyRunningError(site.dataDir)
    return { connection, door, watchdog, isAdopted: false, isRunning: launched.isRunning }
  } catch (err) {
    await stopPostmaster(site.cluster, site.binaries)
    watchdog.close()
    await closeSocket(door)
    throw err
  }
}

function explain(site: ClusterEnvironment, lastWords: string): EmbeddedError {
  if (lastWords.includes('No space left on device')) return diskFullError(site.cluster.dir)
  if (/"pg_wal"|checkpoint record|could not open file "pg_wal/.test(lastWords))
    return new EmbeddedError(
      `the write-ahead log of the database (${site.cluster.dir}/pg_wal) is missing or damaged: bring the directory back whole, or move ${site.cluster.dir} away and run chancery restore with the latest backup; the log of PostgreSQL is ${logPath(site.dataDir)}`,
    )
  return new EmbeddedError(`PostgreSQL does not start: ${lastWords} (its log is ${logPath(site.dataDir)})`)
}
