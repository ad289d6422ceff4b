/** The programs that a benchmark starts: `chancery serve`, the bundled PostgreSQL, Redis, and children of its own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startOn } from '../../server/src/store/embedded/embedded-server.ts'
import { thisHost } from '../../server/src/store/embedded/host.ts'
import { rejectOnEnd } from '../../server/src/store/embedded/processes.ts'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { childrenOf, pinned, type Side } from './machine.ts'

// The published launcher, which sets the V8 flags of production.
const program = fileURLToPath(new URL('../../cli/bin/chancery.js', import.meta.url))

/** A rate limit that no benchmark reaches. */
export const unreachableLimit = 999_999_999

const running = new Set<{ close(): Promise<void> }>()

/** Registers a program, so that `closeAll` ends it however the run ends. */
export function register<T extends { close(): Promise<void> }>(program: T): T {
  const { close } = program
  let closing: Promise<void> | undefined
  program.close = () => {
    running.delete(program)
    closing ??= close.call(program)
    return closing
  }
  running.add(program)
  return program
}

/** Closes what is still running, the last started first. */
export async function closeAll(): Promise<void> {
  for (const program of [...running].reverse()) await program.close()
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  // PostgreSQL and nginx may run as another user, who has to pass through.
  await chmod(directory, 0o711)
  return directory
}

export const removeDirectory = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 20 })

export interface Program {
  pid: number
  close(): Promise<void>
}

/** Starts a program that SIGTERM ends. `untilReady` is awaited while it runs; its directory is removed in the end. */
export async function startProgram<T>(
  command: [string, ...string[]],
  options: SpawnOptions & { side?: Side | undefined; directory?: string },
  untilReady: (child: ChildProcess) => Promise<T>,
): Promise<Program & { child: ChildProcess; ready: T }> {
  const { side, directory, ...spawnOptions } = options
  const [file, ...args] = pinned(side, command)
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], ...spawnOptions })
  const failed = rejectOnEnd(child, command.slice(0, 2).join(' '))
  const ended = once(child, 'exit')
  const started = register({
    pid: Number(child.pid),
    child,
    async close() {
      child.kill('SIGTERM')
      await ended
      if (directory !== undefined) await removeDirectory(directory)
    },
  })
  return Object.assign(started, { ready: await Promise.race([untilReady(child), failed]) })
}

export async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + 5_000
  while (performance.now() < deadline) {
    const socket = connect(port, '127.0.0.1')
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isListening) return
    await sleep(50)
  }
  throw new Error(`no program listens on port ${port}`)
}

/** `chancery serve` as a process of its own. */
export interface Service extends Program {
  publicUrl: string
  operatorUrl: string
  operatorToken: string
  /** Calls the operator API. Rejects with the response where its status is not 2xx. */
  operate<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  ingest(key: string, facts: object[]): Promise<{ events: number; last_seq: number }>
}

/**
 * Starts the service on a bundled PostgreSQL of its own, durable as in production, or on CHANCERY_DATABASE_URL of `env`. `file`: its program.
 */
export async function startService(
  env: Record<string, string> = {},
  side?: Side,
  file = program,
): Promise<Service> {
  const directory = await temporaryDirectory()
  const operatorToken = 'operator-token-of-a-bench'
  const settings = {
    CHANCERY_DATA_DIR: join(directory, 'data'),
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_ADMIN_TOKEN: operatorToken,
    CHANCERY_ANONYMOUS_LIMIT: String(unreachableLimit),
    CHANCERY_DRAIN_SECONDS: '0',
    CHANCERY_LOG_LEVEL: 'warn',
    ...env,
  }
  const { child, ready, close } = await startProgram(
    [process.execPath, file, 'serve', '--json', '--migrate'],
    { env: { ...process.env, ...settings }, side, directory },
    async child => {
      let output = ''
      while (!output.trimEnd().endsWith('}')) output += (await once(child.stdout ?? child, 'data'))[0]
      return JSON.parse(output) as { public: string; operator: string }
    },
  )
  const operate: Service['operate'] = async (method, path, body, headers = {}) => {
    const authorization = `Bearer ${operatorToken}`
    const response = await fetch(ready.operator + path, {
      method,
      headers: {
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const document = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(document)}`)
    return document as never
  }
  return {
    publicUrl: ready.public,
    operatorUrl: ready.operator,
    operatorToken,
    // Of the serving process, which the launcher starts as its child.
    pid: (await childrenOf(Number(child.pid)))[0] ?? Number(child.pid),
    operate,
    ingest: (key, facts) => operate('POST', '/facts', { facts }, { 'idempotency-key': key }),
    close,
  }
}

/** The bundled PostgreSQL, durable as in production, which every target reaches over loopback alike. */
export interface Postgres extends Program {
  /** As its superuser. */
  url: string
  /** A connection as its superuser. */
  db: pg.Client
  version: string
}

/** Its pid is that of the postmaster. */
export async function startPostgres(): Promise<Postgres> {
  const directory = await temporaryDirectory()
  const host = { ...thisHost(), hasUnixSockets: false }
  const server = await startOn(host, { dataDir: join(directory, 'data'), maxConnections: 300 })
  const { user, password = '', host: address, port, database } = server.connection
  const url = `postgres://${user}:${encodeURIComponent(password)}@${address}:${port}/${database}`
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  const { rows } = await db.query(`select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid,
    split_part(current_setting('server_version'), ' ', 1) as version`)
  return register({
    url,
    db,
    ...(rows[0] as { pid: number; version: string }),
    async close() {
      await db.end()
      await server.close()
      await removeDirectory(directory)
    },
  })
}

/** A Redis without persistence. */
export async function startRedis(): Promise<Program & { url: string }> {
  const port = await freePort()
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--save',
    '',
    '--dir',
    tmpdir(),
    '--loglevel',
    'warning',
  ]
  const redis = await startProgram(['redis-server', ...args], {}, () => untilListening(port))
  return { ...redis, url: `redis://127.0.0.1:${port}` }
}

/** A program of this package in a process of its own. */
export interface Child extends Program {
  url: string
  /** Sends a message and resolves with the reply. */
  request<T>(message: unknown): Promise<T>
}

/** Starts a program, passes `order` as its argument, and waits for its first message: the port that it listens on. */
export async function startChild(file: URL, order: unknown, side?: Side): Promise<Child> {
  const nextMessage = async (child: ChildProcess) => (await once(child, 'message'))[0]
  const { child, ready, ...started } = await startProgram(
    [process.execPath, fileURLToPath(file), JSON.stringify(order)],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, NODE_ENV: 'production' },
      side,
    },
    nextMessage,
  )
  return {
    ...started,
    url: `http://127.0.0.1:${(ready as { port: number }).port}`,
    async request(message) {
      const reply = nextMessage(child)
      child.send(message as object)
      return (await reply) as never
    },
  }
}
