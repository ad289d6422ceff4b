import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { EmbeddedError, unlessMissing } from './errors.ts'
import {
  describeEnd,
  describeFailure,
  findProcess,
  hasProcess,
  isAlive,
  listProcesses,
  run,
  sendSignal,
  spawnOptions,
} from './processes.ts'
import type { ServerUser } from './server-user.ts'
import type { ServerSocket } from './socket.ts'

export interface LaunchedServer {
  /** Undefined if it could not be started. */
  pid: number | undefined
  isRunning(): boolean
  /** The last error in its log, or how it ended. */
  lastError(): Promise<string>
}

const logBytesMax = 10 * 1024 * 1024

export const logPath = (dataDir: string) => join(dataDir, 'postgres.log')

/** Starts the server in a session of its own: Ctrl-C in the terminal does not reach it, this process stops it. */
export async function launchServer(options: {
  binaries: Binaries
  cluster: Cluster
  dataDir: string
  socket: ServerSocket
  user: ServerUser | undefined
  settings: ServerSettings
}): Promise<LaunchedServer> {
  const log = await openLog(options.dataDir)
  try {
    const from = (await log.stat()).size
    const child = spawn(
      options.binaries.postgres,
      serverArguments(options.cluster, options.socket, options.settings),
      {
        ...spawnOptions(options.user),
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    )
    child.unref()
    let ended: string | undefined
    child.once('exit', (code, signal) => {
      ended ??= describeEnd(code, signal)
    })
    await new Promise<void>(resolve => {
      child.once('spawn', resolve)
      child.once('error', err => {
        ended = err.message
        resolve()
      })
    })
    return {
      pid: child.pid,
      isRunning: () => ended === undefined,
      lastError: () => readLastError(options.dataDir, from, ended ?? 'no response'),
    }
  } finally {
    await log.close()
  }
}

async function openLog(dataDir: string): Promise<FileHandle> {
  // The data directory may belong to a less privileged user: links are not followed.
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
  const log = await open(logPath(dataDir), flags, 0o600)
  const found = await log.stat()
  if (found.size > logBytesMax) await log.truncate(0)
  if (process.geteuid?.() === 0 && found.nlink === 1) {
    const owner = await stat(dataDir)
    await log.chown(owner.uid, owner.gid)
  }
  return log
}

/** Log lines about our connection attempts while the server starts or stops: not the cause of a failure. */
const connectionRefused = /FATAL: +the database system is /

/** The last error in the log; without one, how the process ended and its last lines. */
async function readLastError(dataDir: string, from: number, ended: string): Promise<string> {
  const log = await open(logPath(dataDir))
  try {
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(64 * 1024), position: from })
    const output = buffer.toString('utf8', 0, bytesRead)
    const errorLine = output
      .split('\n')
      .filter(line => !connectionRefused.test(line))
      .findLast(line => /(FATAL|PANIC|ERROR|error while loading|could not)/.test(line))
    return errorLine?.replace(/^.*?(FATAL|PANIC|ERROR): +/, '') ?? describeFailure({ ended, output })
  } finally {
    await log.close()
  }
}

export interface ServerSettings {
  fsync: boolean
  /** Ordinary connections. */
  maxConnections: number
}

/** Three that PostgreSQL reserves for superusers, and the connection with the owner's lock. */
const reservedConnections = 4

export const connectionsTotal = (settings: ServerSettings) => settings.maxConnections + reservedConnections

/**
 * After a crash PostgreSQL syncs every file before it recovers: 1,600 of them took 2 to 5 seconds on a busy disk, and one syncfs for
 * all of them 0.2 at most. Linux reports write errors to it since 5.8.
 */
export function hasReliableSyncfs(): boolean {
  if (process.platform !== 'linux') return false
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 8)
}

/** An eighth of the memory of the machine or container. Every page that is not in them is copied from the system's cache, and its checksum verified. */
function sharedBuffers(): string {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return `${Math.min(Math.max(256, Math.floor(bytes / 8 / 1_048_576)), 2_048)}MB`
}

/** Settings are arguments, so that the cluster's own files never need an update. */
function serverArguments(cluster: Cluster, socket: ServerSocket, settings: ServerSettings): string[] {
  const isSocket = socket.password === undefined
  const values: Record<string, string | number> = {
    listen_addresses: isSocket ? '' : socket.host,
    port: socket.port,
    unix_socket_directories: isSocket ? socket.host : '',
    unix_socket_permissions: '0700',
    cluster_name: cluster.name,
    max_connections: connectionsTotal(settings),
    shared_buffers: sharedBuffers(),
    // The bundled server has no replicas.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Bounds crash recovery, which replays the log since the last checkpoint.
    max_wal_size: '1GB',
    ...(hasReliableSyncfs() && { recovery_init_sync_method: 'syncfs' }),
    // Queries of a killed process end soon, and release their locks.
    client_connection_check_interval: '2s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'off',
    log_checkpoints: 'off',
    ...(!settings.fsync && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  // -D first: findPostmaster recognizes the server by these arguments.
  return ['-D', cluster.dir, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** The server's first process, from postmaster.pid. */
export interface Postmaster {
  pid: number
  /** Undefined until the server has written it. */
  address: { port: number; socketDir: string } | undefined
}

const pidFile = (cluster: Cluster) => join(cluster.dir, 'postmaster.pid')

const fastShutdownMs = 60_000
const immediateShutdownMs = 15_000
const leftoversMs = 10_000

/** The running server of this cluster. The process id alone is no proof: it may have been reused. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  const [first, , , port, socketDir] = text?.split('\n') ?? []
  // A single-user server writes its process id with a minus.
  const pid = Math.abs(Number(first))
  if (!Number.isSafeInteger(pid) || pid === 0 || !isAlive(pid)) return undefined
  const postmaster = {
    pid,
    address: port && socketDir !== undefined ? { port: Number(port), socketDir } : undefined,
  }
  // Windows does not list command lines: `adopt` checks data_directory over the connection.
  if (process.platform === 'win32') return postmaster
  const found = await findProcess(pid)
  if (!found) return undefined
  if (`${found.command} `.includes(`postgres -D ${cluster.dir} `)) return postmaster
  if (found.command.includes('postgres') && (await isWorkingDirectoryOf(pid, cluster)))
    throw new EmbeddedError(
      `${cluster.dir} is in use by a PostgreSQL that was started by another program or before the directory was moved: end process ${pid} (kill -INT ${pid}) and start again`,
    )
  return undefined
}

/** The server writes its state into its pid file. */
export async function isReady(cluster: Cluster): Promise<boolean> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  return text?.split('\n')[7]?.startsWith('ready') ?? false
}

async function isWorkingDirectoryOf(pid: number, cluster: Cluster): Promise<boolean> {
  try {
    const [here, there] = await Promise.all([stat(cluster.dir), stat(`/proc/${pid}/cwd`)])
    return here.ino === there.ino && here.dev === there.dev
  } catch {
    // Not Linux, or a container without the permission.
    return false
  }
}

/**
 * Kills the backends of a server that was killed: busy ones keep running and hold the shared memory. They are recognized by the cluster's
 * name in their titles and by their user. Without titles the next server does not start until the shared memory is free.
 */
export async function clearLeftovers(cluster: Cluster, uid: number | undefined): Promise<void> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  if (text === undefined) return
  const deadline = Date.now() + leftoversMs
  for (;;) {
    const left = ((await listProcesses()) ?? []).filter(
      found => found.uid === uid && found.command.startsWith(`postgres: ${cluster.name}: `),
    )
    if (left.length === 0) break
    if (Date.now() > deadline)
      throw new EmbeddedError(
        `process ${left[0]?.pid} of a killed PostgreSQL does not exit: restart the machine`,
      )
    for (const { pid } of left) sendSignal(pid, 'SIGKILL')
    await sleep(20)
  }
  // PostgreSQL removes the file itself if the process does not exist, but not if it is a zombie or another program.
  if (hasProcess(Math.abs(Number.parseInt(text, 10)))) await rm(pidFile(cluster), { force: true })
}

/** Stops the server after a last checkpoint and resolves when it has exited. */
export async function stopPostmaster(cluster: Cluster, binaries: Binaries): Promise<void> {
  const postmaster = await findPostmaster(cluster)
  if (!postmaster) return
  const { pid } = postmaster
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl uses a named pipe.
    const outcome = await run(binaries.pgCtl, ['stop', '-D', cluster.dir, '-m', 'fast', '-w'], {})
    if (await hasExited(pid, immediateShutdownMs)) return
    throw new EmbeddedError(
      `PostgreSQL (process ${pid}) does not stop: kill it (pg_ctl: ${describeFailure(outcome)})`,
    )
  } else {
    sendSignal(pid, 'SIGINT')
    if (await hasExited(pid, fastShutdownMs)) return
    sendSignal(pid, 'SIGQUIT')
    if (await hasExited(pid, immediateShutdownMs)) return
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) does not stop: kill it`)
}

async function hasExited(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await sleep(10)
  }
  return true
}
