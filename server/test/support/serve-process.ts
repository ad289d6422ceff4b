import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { type Operate, operateAt } from './operator-client.ts'

const chancery = fileURLToPath(new URL('../../../cli/start/main.js', import.meta.url))
/** The same service with the timeouts of a test server. */
export const longTimeoutServer = fileURLToPath(new URL('./forked-process.ts', import.meta.url))
export const operatorToken = 'operator-token-of-a-test'

const { PATH, NODE_COMPILE_CACHE } = process.env

/** The environment of a test's process: no configuration of Chancery. The compile cache halves the time of a start. */
export const processEnv: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
}

/** `chancery serve` as a process of its own, on the bundled database with fsync on. */
export interface ServeProcess {
  url: string
  operatorUrl: string
  operatorToken: string
  operate: Operate
  child: ChildProcess
  /** Resolves with its standard error when it has ended. */
  ended: Promise<string>
}

export function makeServeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'chancery-crash-'))
  // The database may run as another user.
  chmodSync(dir, 0o711)
  return dir
}

/** `env` adds to the configuration. */
export async function serve(
  dir: string,
  env: Record<string, string> = {},
  program = chancery,
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [program, 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...processEnv,
      CHANCERY_DATA_DIR: join(dir, 'data'),
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: operatorToken,
      CHANCERY_DRAIN_SECONDS: '0',
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      ...env,
    },
  })
  const exited = once(child, 'exit')
  const stderr = text(child.stderr)
  const ended = exited.then(() => stderr)
  let output = ''
  for await (const part of child.stdout) {
    output += part
    if (output.trimEnd().endsWith('}')) break
  }
  assert.match(output, /\}\s*$/, output === '' ? await ended : output)
  const addresses = JSON.parse(output) as { public: string; operator: string }
  const operate = operateAt(addresses.operator, operatorToken)
  return { url: addresses.public, operatorUrl: addresses.operator, operatorToken, operate, child, ended }
}

/** Starts the service as a supervisor does: again if it ended because its database was not ready. */
export async function serveWithRetry(...serving: Parameters<typeof serve>): Promise<ServeProcess> {
  for (let left = 9; ; left -= 1) {
    try {
      return await serve(...serving)
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** The process id of the bundled database's first process. */
export function postmasterOf(dir: string): number | undefined {
  for (const name of readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('postmaster.pid'))
      return Number(readFileSync(join(dir, 'data', name), 'utf8').split('\n')[0])
  }
  return undefined
}

/** Ends the database of the directory if it still runs, and removes the directory. */
export async function removeServeDir(dir: string): Promise<void> {
  const pid = postmasterOf(dir)
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT')
    while (isAlive(pid)) await new Promise(resolve => setTimeout(resolve, 5))
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 20 })
}
