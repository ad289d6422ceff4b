import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinned, type Side } from './cores.ts'
import { startedBy } from './cpu-seconds.ts'

// As everybody starts it: this is where the service gets its flags for V8.
const program = fileURLToPath(new URL('../../cli/bin/chancery.js', import.meta.url))

/** `chancery serve` as a process of its own, on a world of its own. */
export interface Served {
  publicUrl: string
  operatorUrl: string
  operatorToken: string
  /** Of the process that serves: the command starts it, and only passes signals on. */
  pid: number
  /** Asks the operator listener; rejects where it refuses. */
  operate<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  close(): Promise<void>
}

/**
 * Starts the service on the bundled database, durable as in production, or on the one of CHANCERY_DATABASE_URL; with `core`, on
 * the processor of that side.
 */
export async function serve(env: Record<string, string> = {}, core?: Side): Promise<Served> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  // The bundled database may run as another user, who has to pass.
  await chmod(dir, 0o711)
  const token = 'operator-token-of-a-bench'
  const command: [string, ...string[]] = [process.execPath, program, 'serve', '--json', '--migrate']
  const [file, ...args] = core ? pinned(core, command) : command
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CHANCERY_DATA_DIR: join(dir, 'data'),
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: token,
      CHANCERY_DRAIN_SECONDS: '0',
      CHANCERY_LOG_LEVEL: 'warn',
      ...env,
    },
  })
  const ended = once(child, 'exit')
  const addresses = JSON.parse(await firstDocument(child)) as { public: string; operator: string }
  const [pid = Number(child.pid)] = await startedBy(Number(child.pid))
  return {
    publicUrl: addresses.public,
    operatorUrl: addresses.operator,
    operatorToken: token,
    pid,
    async operate(method, path, body, headers = {}) {
      const response = await fetch(addresses.operator + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(`${method} ${path} answered ${JSON.stringify(answer)}`)
      return answer as never
    },
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(dir, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

async function firstDocument(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const part of child.stdout ?? []) {
    output += part
    if (output.trimEnd().endsWith('}')) return output
  }
  throw new Error('the service did not start')
}
