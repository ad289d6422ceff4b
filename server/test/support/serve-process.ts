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
import { processEnv } from './process-env.ts'

const chancery = fileURLToPath(new URL('../../../cli/start/main.js', import.meta.url))
/** The same service, for what a late database or Redis must not disturb. */
export const patientProgram = fileURLToPath(new URL('./patient-process.ts', import.meta.url))
export const operatorToken = 'operator-token-of-a-test'

/** `chancery serve` as a process of its own, on the bundled database with fsync on. */
export interface ServeProcess {
  url: string
  operatorUrl: string
  operatorToken: string
  operate: Operate
  child: ChildProcess
  /** Resolves with what it wrote to standard error, when it has ended. */
  ended: Promise<string>
}

export function makeServeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'chancery-crash-'))
  // The database may run as another user, who has to pass.
  chmodSync(dir, 0o711)
  return dir
}

/** `env` sets more than where it is and who may operate it. */
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
  const said = text(child.stderr)
  const ended = exited.then(() => said)
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

/** The process id of the bundled database's first process. */
export function postmasterOf(dir: string): number | undefined {
  for (const name of readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('postmaster.pid'))
      return Number(readFileSync(join(dir, 'data', name), 'utf8').split('\n')[0])
  }
  return undefined
}

/** Ends whatever still runs on the directory, and removes it. */
export async function removeServeDir(dir: string): Promise<void> {
  const pid = postmasterOf(dir)
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT')
    while (isAlive(pid)) await new Promise(resolve => setTimeout(resolve, 5))
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 20 })
}
