import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const chancery = fileURLToPath(new URL('../../../../cli/bin/chancery.js', import.meta.url))
const readyMs = 600_000

export type Fact = Record<string, unknown>
export type Demo = Awaited<ReturnType<typeof startDemo>>

/** The demo, as `npm start` runs it: on free ports, with a small static world. */
export async function startDemo() {
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-bot-'))
  const env = {
    ...process.env,
    CHANCERY_DATA_DIR: dataDir,
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_ANONYMOUS_LIMIT: '1000000',
    CHANCERY_STREAMS_PER_IP: '1000',
  }
  const child = spawn(process.execPath, [chancery, 'demo', '--nations', '160', '--tick-seconds', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }

  const deadline = Date.now() + readyMs
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) {
      if (Date.now() > deadline || child.exitCode !== null) {
        await stop()
        throw new Error('the demo did not start')
      }
      await sleep(100)
    }
  }
  // The world is complete when its keys exist.
  await until(() => existsSync(join(dataDir, 'demo-keys.json')))
  const addresses = JSON.parse(await readFile(join(dataDir, 'addresses.json'), 'utf8'))
  const authorization = `Bearer ${(await readFile(join(dataDir, 'operator-token'), 'utf8')).trim()}`
  await until(async () => {
    const response = await fetch(`${addresses.operator}/status`, { headers: { authorization } })
    return ((await response.json()) as { ranking_lag_versions: number }).ranking_lag_versions === 0
  })

  return {
    url: addresses.public as string,
    /** A page of a list. */
    async list<T>(path: string): Promise<T[]> {
      const response = await fetch(`${addresses.public}/api/v1${path}`)
      return ((await response.json()) as { data: T[] }).data
    },
    /** `chancery codes issue`. */
    async issueCode(nation: string, account?: string): Promise<string> {
      const bound = account === undefined ? [] : ['--for', account]
      const args = [chancery, 'codes', 'issue', '--nation', nation, '--json', ...bound]
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      return JSON.parse(stdout).code
    },
    /** Sends facts of the game, as one batch. */
    async ingest(...facts: Fact[]): Promise<void> {
      const headers = {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      }
      const body = JSON.stringify({ facts })
      const response = await fetch(`${addresses.operator}/facts`, { method: 'POST', headers, body })
      if (response.status !== 200) throw new Error(await response.text())
    },
    stop,
  }
}
