import type { Client } from 'pg'
import { type RunningCluster, startOrAdopt } from './bring-up.ts'
import { type ClusterEnvironment, prepareEnvironment } from './cluster-environment.ts'
import { connect } from './connection.ts'
import { superuser } from './create-cluster.ts'
import { openDataDir } from './data-dir.ts'
import { type DataDirLock, lockDataDir } from './data-dir-lock.ts'
import { explainDiskError } from './embedded-error.ts'
import { type Host, thisHost } from './host.ts'
import { logPath } from './launch.ts'
import { stopPostmaster } from './server-process.ts'
import { closeSocket } from './socket.ts'
import { watchConnection } from './watch.ts'

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
