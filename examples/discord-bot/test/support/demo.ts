import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const chancery = join(root, 'cli/bin/chancery.js')
const readyMs = 600_000

export type Fact = Record<string, unknown>

/** The demo, as `npm start` runs it: on free ports, with a small static world. */
export interface Demo {
  url: string
  /** A page of a list, as the API has it. */
  list<T>(path: string): Promise<T[]>
  /** `chancery codes issue`. */
  issueCode(nation: string, account?: string): Promise<string>
  /** Facts of the game, as one batch. */
  ingest(facts: Fact[]): Promise<void>
  stop(): Promise<void>
}

export async function startDemo(): Promise<Demo> {
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
  const child = spawn(process.execPath, [chancery, 'demo', '--nations', '80', '--tick-seconds', '0'], {
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
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) {
      if (Date.now() > deadline || child.exitCode !== null) {
        await stop()
        throw new Error('the demo did not start')
      }
      await sleep(100)
    }
  }
  // The world is made when its keys are there.
  await until(() => existsSync(join(dataDir, 'demo-keys.json')))
  const addresses = JSON.parse(await readFile(join(dataDir, 'addresses.json'), 'utf8'))
  const token = (await readFile(join(dataDir, 'operator-token'), 'utf8')).trim()
  const authorization = `Bearer ${token}`
  await until(async () => {
    const response = await fetch(`${addresses.operator}/status`, { headers: { authorization } })
    const { ranking_lag_versions } = (await response.json()) as { ranking_lag_versions: number }
    return ranking_lag_versions === 0
  })

  return {
    url: addresses.public,
    async list(path) {
      const response = await fetch(`${addresses.public}/api/v1${path}`)
      const { data } = (await response.json()) as { data: never }
      return data
    },
    async issueCode(nation, account) {
      const args = [chancery, 'codes', 'issue', '--nation', nation, '--json']
      const bound = account === undefined ? [] : ['--for', account]
      const { stdout } = await promisify(execFile)(process.execPath, [...args, ...bound], { env })
      return JSON.parse(stdout).code
    },
    async ingest(facts) {
      const response = await fetch(`${addresses.operator}/facts`, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/json',
          'idempotency-key': crypto.randomUUID(),
        },
        body: JSON.stringify({ facts }),
      })
      if (response.status !== 200) throw new Error(await response.text())
    },
    stop,
  }
}
