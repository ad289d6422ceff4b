import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { findCluster } from '../../src/store/embedded/cluster.ts'
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  startEmbedded,
} from '../../src/store/embedded/embedded-server.ts'
import { EmbeddedError } from '../../src/store/embedded/errors.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { findPostmaster } from '../../src/store/embedded/server-process.ts'
import { until } from '../support/until.ts'

export const isRoot = process.geteuid?.() === 0
const major = '18'
/** A start takes one second; a busy machine needs many. */
const startTimeoutMs = 120_000

const children: ChildProcess[] = []
const dirs: string[] = []

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const dir of dirs) await endServersUnder(dir)
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true, maxRetries: 20 })
})

/** A directory that any user may enter. It is removed after the tests, with the servers in it. */
export function makeDir(owner?: { uid: number; gid: number }): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-')))
  dirs.push(dir)
  chmodSync(dir, 0o711)
  if (owner) chownSync(dir, owner.uid, owner.gid)
  return dir
}

let template: Promise<string> | undefined

/** A data directory after a first start: a copy, which saves the time of initdb. */
export async function makeDataDir(): Promise<string> {
  template ??= (async () => {
    const dataDir = join(makeDir(), 'data')
    await (await startEmbedded({ dataDir, fsync: false })).close()
    return dataDir
  })()
  const dataDir = join(makeDir(), 'data')
  execFileSync('cp', ['-a', await template, dataDir])
  return dataDir
}

async function endServersUnder(dir: string): Promise<void> {
  for (const entry of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('PG_VERSION') || entry.includes('/base/') || entry.includes('.new-')) continue
    const dataDir = join(dir, entry, '..', '..')
    if (!existsSync(join(dataDir, 'postgres'))) continue
    const cluster = await findCluster(realpathSync(dataDir), major).catch(() => undefined)
    const postmaster = cluster && (await findPostmaster(cluster))
    if (!postmaster) continue
    process.kill(postmaster.pid, 'SIGQUIT')
    await until(() => !isAlive(postmaster.pid), 'it has ended')
    rmSync(join(tmpdir(), cluster.name), { recursive: true, force: true })
  }
}

const serverOf = async (dataDir: string) => findPostmaster(await findCluster(realpathSync(dataDir), major))

export const hasServer = async (dataDir: string) => (await serverOf(dataDir)) !== undefined

export async function postmasterPid(dataDir: string): Promise<number> {
  const postmaster = await serverOf(dataDir)
  assert.ok(postmaster, `no server runs on ${dataDir}`)
  return postmaster.pid
}

/** The line that a process prints at its start. */
export interface StartStatus {
  connection: EmbeddedServer['connection']
  isAdopted: boolean
  isNew: boolean
  refusal?: { name: string; message: string }
}

export interface ChanceryProcess {
  pid: number
  child: ChildProcess
  status: Promise<StartStatus>
  exited: Promise<unknown>
}

/** Starts the bundled database in another process. */
export function startProcess(
  options: EmbeddedOptions,
  how: {
    user?: { uid: number; gid: number }
    /** How it ends after its start. */
    endsBy?: 'exit' | 'throw'
    isDetached?: boolean
    /** Default: longer than a test needs to adopt the server. */
    orphanGraceSeconds?: number
  } = {},
): ChanceryProcess {
  const program = fileURLToPath(new URL('chancery-process.ts', import.meta.url))
  const { endsBy, orphanGraceSeconds = 120 } = how
  const args = [program, JSON.stringify({ fsync: false, orphanGraceSeconds, ...options })]
  const child = spawn(process.execPath, endsBy ? [...args, endsBy] : args, {
    stdio: ['pipe', 'pipe', endsBy === 'throw' ? 'ignore' : 'inherit'],
    cwd: '/',
    detached: how.isDetached,
    ...how.user,
  })
  children.push(child)
  assert.ok(child.pid)
  const lines = createInterface({ input: child.stdout })
  const status = once(lines, 'line', { signal: AbortSignal.timeout(startTimeoutMs) }).then(([line]) =>
    JSON.parse(line),
  )
  status.catch(() => {})
  return { pid: child.pid, child, status, exited: once(child, 'exit') }
}

/** Kills a running Chancery. */
export async function startAndKill(options: EmbeddedOptions): Promise<StartStatus> {
  const chancery = startProcess(options)
  const status = await chancery.status
  assert.equal(status.refusal, undefined)
  chancery.child.kill('SIGKILL')
  await chancery.exited
  return status
}

/** One query on a connection of its own. */
export async function query(
  connection: EmbeddedServer['connection'],
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Matches an EmbeddedError of one line. */
export function refusal(pattern: RegExp): (err: unknown) => boolean {
  return err => {
    assert.ok(err instanceof EmbeddedError, String(err))
    assert.match(err.message, pattern)
    assert.doesNotMatch(err.message, /\n/)
    return true
  }
}

export const assertRejected = (start: Promise<unknown>, pattern: RegExp): Promise<void> =>
  assert.rejects(start, refusal(pattern))

/** Starts a server without fsync. */
export const startQuickly = (dataDir: string): Promise<EmbeddedServer> =>
  startEmbedded({ dataDir, fsync: false })

export function userNamed(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}
