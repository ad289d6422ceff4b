import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rejectOnEnd } from '../../server/src/store/embedded/processes.ts'
import { until } from '../../server/test/support/until.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A service or demo in its own processes, on free ports and an empty data directory. */
export interface RunningChancery {
  /** Base URL of the public listener. */
  url: string
  /** The environment of its processes, for commands that use it. */
  env: NodeJS.ProcessEnv
  /** Ends it by SIGTERM, and removes its data. Throws if it does not end in time. */
  stop(): Promise<void>
}

const readyMs = 180_000
const stopMs = 60_000

export interface RunOptions {
  settings?: NodeJS.ProcessEnv
  /** A file in the data directory that is written when the world is complete: the service is ready earlier. */
  worldFile?: string
}

/** Starts it by a command at the repository's root. Throws with its output if it does not become ready. */
export async function runChancery(
  command: [string, ...string[]],
  { settings = {}, worldFile = 'addresses.json' }: RunOptions = {},
): Promise<RunningChancery> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-smoke-'))
  const env = {
    ...process.env,
    PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    CHANCERY_DATA_DIR: dataDir,
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_DRAIN_SECONDS: '0',
    ...settings,
  }
  const [program, ...args] = command
  // A process group of its own: npm may not forward signals.
  const child = spawn(program, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close').catch(() => undefined)
  const failed = rejectOnEnd(child, command.join(' '))
  // The child must not outlive this process.
  const endWithUs = () => signalGroup(child, 'SIGTERM')
  process.on('exit', endWithUs)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

  const stop = async () => {
    signalGroup(child, 'SIGTERM')
    const isDone = await Promise.race([closed.then(() => true), sleep(stopMs, false, { ref: false })])
    if (!isDone) signalGroup(child, 'SIGKILL')
    process.off('exit', endWithUs)
    await rm(dataDir, { recursive: true, force: true })
    if (!isDone) throw new Error(`${command.join(' ')} did not end within ${stopMs / 1000} s`)
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const isReady = async () => {
    if (!existsSync(join(dataDir, worldFile))) return false
    const response = await publicUrl(dataDir).then(url => fetch(new URL('/readyz', url)))
    return response.ok
  }

  try {
    await until(() => hasEnded() || isReady().catch(() => false), `${command.join(' ')} is ready`, readyMs)
    if (hasEnded()) await failed
    return { url: await publicUrl(dataDir), env, stop }
  } catch (err) {
    await stop().catch(() => {})
    throw err
  }
}

async function publicUrl(dataDir: string): Promise<string> {
  return JSON.parse(await readFile(join(dataDir, 'addresses.json'), 'utf8')).public
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}

interface Page {
  data: Record<string, unknown>[]
  pagination: { pages: number }
}

/** All items of a list of the API, page by page. */
export async function readAll(url: string, path: string): Promise<Page['data']> {
  const items = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const response = await fetch(new URL(`/api/v1${path}?limit=100&page=${page}`, url))
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
    const { data, pagination } = (await response.json()) as Page
    items.push(...data)
    pages = pagination.pages
  }
  return items
}
