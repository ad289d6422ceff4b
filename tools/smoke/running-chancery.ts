import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeEnd } from '../../server/src/store/embedded/processes.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A Chancery in processes of its own, on free ports and an empty data directory. */
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

/** Starts it with a command as a user types it, at the repository's root. Throws with its output if it does not get ready. */
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
  // A group of its own: npm may not pass signals on.
  const child = spawn(program, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text))
  const ended = new Promise<string>(resolve => {
    child.on('error', err => resolve(`${program}: ${err.message}`))
    child.on('close', (code, signal) => resolve(describeEnd(code, signal)))
  })
  // The child must not outlive this process.
  const endWithUs = () => signalGroup(child, 'SIGTERM')
  process.on('exit', endWithUs)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

  const stop = async () => {
    signalGroup(child, 'SIGTERM')
    const isDone = await Promise.race([ended.then(() => true), sleep(stopMs, false, { ref: false })])
    if (!isDone) signalGroup(child, 'SIGKILL')
    process.off('exit', endWithUs)
    await rm(dataDir, { recursive: true, force: true })
    if (!isDone) throw new Error(`${command.join(' ')} did not end within ${stopMs / 1000} s\n${output}`)
  }

  try {
    return { url: await readyUrl(dataDir, worldFile, ended), env, stop }
  } catch (err) {
    await stop().catch(() => {})
    throw new Error(`${command.join(' ')}: ${err instanceof Error ? err.message : err}\n${output}`)
  }
}

async function readyUrl(dataDir: string, worldFile: string, ended: Promise<string>): Promise<string> {
  let end: string | undefined
  ended.then(reason => {
    end = reason
  })
  const deadline = Date.now() + readyMs
  while (Date.now() < deadline) {
    if (end !== undefined) throw new Error(end)
    const url = await publicAddress(dataDir)
    if (url && existsSync(join(dataDir, worldFile)) && (await isReady(url))) return url
    await sleep(100)
  }
  throw new Error(`not ready within ${readyMs / 1000} s`)
}

async function publicAddress(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'addresses.json'), 'utf8').catch(() => undefined)
  return text && JSON.parse(text).public
}

function isReady(url: string): Promise<boolean> {
  return fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(5_000) }).then(
    response => response.ok,
    () => false,
  )
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
