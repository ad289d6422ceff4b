import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { describeEnd, describeFailure } from './child-failure.ts'
import type { Cluster } from './cluster.ts'
import { spawnOptions } from './run.ts'
import { type ServerSettings, serverArguments } from './server-settings.ts'
import type { ServerUser } from './server-user.ts'
import type { ServerSocket } from './socket.ts'

export interface LaunchedServer {
  /** Undefined if it could not be started. */
  pid: number | undefined
  isRunning(): boolean
  /** What it complained of last, or how it ended. */
  lastError(): Promise<string>
}

const logBytesMax = 10 * 1024 * 1024

export const logPath = (dataDir: string) => join(dataDir, 'postgres.log')

/** Starts the server in a session of its own: Ctrl-C in the terminal is for us, and we end it when we are ready. */
export async function launchServer(options: {
  binaries: Binaries
  cluster: Cluster
  dataDir: string
  door: ServerSocket
  user: ServerUser | undefined
  settings: ServerSettings
}): Promise<LaunchedServer> {
  const log = await openLog(options.dataDir)
  try {
    const from = (await log.stat()).size
    const child = spawn(
      options.binaries.postgres,
      serverArguments(options.cluster, options.door, options.settings),
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
      lastError: () => readLastError(options.dataDir, from, ended ?? 'no answer'),
    }
  } finally {
    await log.close()
  }
}

async function openLog(dataDir: string): Promise<FileHandle> {
  // The data directory may belong to a lesser user than we are: no link of theirs is followed.
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

/** What it writes about a connection attempt (ours) while it starts or ends: not why it failed. */
const connectionRefused = /FATAL: +the database system is /

/** Its last error; where it has none, how it ended and its last lines. */
async function readLastError(dataDir: string, from: number, ended: string): Promise<string> {
  const log = await open(logPath(dataDir))
  try {
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(64 * 1024), position: from })
    const output = buffer.toString('utf8', 0, bytesRead)
    const complaint = output
      .split('\n')
      .filter(line => !connectionRefused.test(line))
      .findLast(line => /(FATAL|PANIC|ERROR|error while loading|could not)/.test(line))
    return complaint?.replace(/^.*?(FATAL|PANIC|ERROR): +/, '') ?? describeFailure({ ended, output })
  } finally {
    await log.close()
  }
}
