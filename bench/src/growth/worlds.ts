import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { type Served, serve } from '../served.ts'
import { pastWars } from './past-wars.ts'

const program = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

/** Days that a simulated history lasts, and wars that had ended before it, for each nation. */
const days = 5
const pastWarsPerNation = 2

/** How a world was loaded, kept beside it. */
export interface Loading {
  nations: number
  /** By `chancery simulate | chancery ingest`, which share the processors with the service. */
  simulated: { facts: number; seconds: number }
  /** Wars that ended before the history, by `chancery ingest`. */
  past: { facts: number; seconds: number }
  /** RFC 3339: between both. */
  half_at: string
}

/** A world of so many nations with the service that serves it, on the bundled database. */
export interface World {
  nations: number
  loading: Loading
  dataDir: string
  served: Served
  close(): Promise<void>
}

/** Opens the world that is kept in a folder; where there is none, loads it first, which takes its time. */
export async function openWorld(folder: string, nations: number): Promise<World> {
  const home = join(folder, String(nations))
  const dataDir = join(home, 'data')
  // The bundled database may run as another user, who has to pass.
  await mkdir(home, { recursive: true, mode: 0o711 })
  const served = await serve({
    CHANCERY_DATA_DIR: dataDir,
    CHANCERY_ANONYMOUS_LIMIT: '1000000',
    CHANCERY_LOG_LEVEL: 'error',
  })
  try {
    const mark = join(home, 'loading.json')
    const kept = await readFile(mark, 'utf8').catch(() => undefined)
    const loading = kept ? (JSON.parse(kept) as Loading) : await load(served, nations)
    if (!kept) await writeFile(mark, `${JSON.stringify(loading, null, 2)}\n`)
    await untilRanked(served)
    return { nations, loading, dataDir, served, close: () => served.close() }
  } catch (error) {
    await served.close()
    throw error
  }
}

async function load(served: Served, nations: number): Promise<Loading> {
  console.error(`loading a world of ${nations} nations; it is kept`)
  const size = ['--nations', `${nations}`, '--days', `${days}`]
  const simulator = run(['simulate', ...size, '--seed', '1', '--ends-at', '2026-05-01T00:00:00Z'], {}, [
    '--max-old-space-size=8000',
  ])
  const simulated = await ingest(served, simulator.stdout)
  const half_at = new Date().toISOString()
  const past = await ingest(served, Readable.from(pastWars(nations, Math.round(nations * pastWarsPerNation))))
  return { nations, simulated, past, half_at }
}

/** Sends facts by `chancery ingest`. Rejects where a batch was refused. */
export async function ingest(
  { operatorUrl, operatorToken }: Served,
  facts: Readable,
): Promise<{ facts: number; seconds: number }> {
  const env = { CHANCERY_OPERATOR_URL: operatorUrl, CHANCERY_OPERATOR_TOKEN: operatorToken }
  const child = run(['ingest', '-', '--json'], env)
  const startedMs = performance.now()
  const [report] = await Promise.all([textOf(child.stdout), pipeline(facts, child.stdin)])
  const seconds = (performance.now() - startedMs) / 1_000
  const { facts: count, refused } = JSON.parse(report) as { facts: number; refused: unknown[] }
  if (refused.length > 0) throw new Error(`facts were refused: ${JSON.stringify(refused[0])}`)
  return { facts: count, seconds }
}

function run(command: string[], env: Record<string, string>, nodeOptions: string[] = []) {
  return spawn(process.execPath, [...nodeOptions, program, ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
}

async function textOf(output: Readable): Promise<string> {
  let text = ''
  for await (const part of output.setEncoding('utf8')) text += part
  return text
}

/** Lists show what a ranking round has seen: waits for the one that has seen all. */
async function untilRanked(served: Served): Promise<void> {
  for (;;) {
    const status = await served.operate<{ ranking_lag_versions: number }>('GET', '/status')
    if (status.ranking_lag_versions === 0) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
