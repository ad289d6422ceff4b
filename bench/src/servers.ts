/** The programs that a benchmark starts: `chancery serve`, the bundled PostgreSQL, Redis, and children of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
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
import type { RecordedResponse } from './load.ts'
import { childrenOf, freePort, pinned, type Side } from './machine.ts'

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

/** `chancery serve` as a process of its own. */
export interface Service {
  publicUrl: string
  operatorUrl: string
  operatorToken: string
  /** Of the serving process, which the launcher starts as its child. */
  pid: number
  /** Calls the operator API. Rejects with the response where its status is not 2xx. */
  operate<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  ingest(key: string, facts: object[]): Promise<{ events: number; last_seq: number }>
  close(): Promise<void>
}

/** Starts the service on a bundled PostgreSQL of its own, durable as in production, or on CHANCERY_DATABASE_URL of `env`. */
export async function startService(env: Record<string, string> = {}, side?: Side): Promise<Service> {
  const directory = await temporaryDirectory()
  const token = 'operator-token-of-a-bench'
  const [file, ...args] = pinned(side, [process.execPath, program, 'serve', '--json', '--migrate'])
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CHANCERY_DATA_DIR: join(directory, 'data'),
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: token,
      CHANCERY_ANONYMOUS_LIMIT: String(unreachableLimit),
      CHANCERY_DRAIN_SECONDS: '0',
      CHANCERY_LOG_LEVEL: 'warn',
      ...env,
    },
  })
  const ended = once(child, 'exit')
  const addresses = JSON.parse(await firstDocument(child)) as { public: string; operator: string }
  const [pid = Number(child.pid)] = await childrenOf(Number(child.pid))
  const operate: Service['operate'] = async (method, path, body, headers = {}) => {
    const response = await fetch(addresses.operator + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const document = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(document)}`)
    return document as never
  }
  return register({
    publicUrl: addresses.public,
    operatorUrl: addresses.operator,
    operatorToken: token,
    pid,
    operate,
    ingest: (key, facts) => operate('POST', '/facts', { facts }, { 'idempotency-key': key }),
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true, maxRetries: 20 })
    },
  })
}

async function firstDocument(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const part of child.stdout ?? []) {
    output += part
    if (output.trimEnd().endsWith('}')) return output
  }
  throw new Error('the service did not start')
}

/** The bundled PostgreSQL, durable as in production, which every target reaches over loopback alike. */
export interface Postgres {
  /** As its superuser. */
  url: string
  /** A connection as its superuser. */
  db: pg.Client
  /** Of the postmaster. */
  pid: number
  version: string
  close(): Promise<void>
}

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
    pid: rows[0].pid,
    version: rows[0].version,
    async close() {
      await db.end()
      await server.close()
      await rm(directory, { recursive: true, force: true, maxRetries: 20 })
    },
  })
}

/** A Redis without persistence. */
export async function startRedis(): Promise<{ url: string; pid: number; close(): Promise<void> }> {
  const port = await freePort()
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', tmpdir()]
  const child = spawn('redis-server', [...args, '--loglevel', 'warning'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const failed = rejectOnEnd(child, 'redis-server did not start')
  const ended = once(child, 'exit')
  await Promise.race([untilListening(port, 'redis-server'), failed])
  return register({
    url: `redis://127.0.0.1:${port}`,
    pid: Number(child.pid),
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  })
}

export async function untilListening(port: number, name: string): Promise<void> {
  const deadline = performance.now() + 5_000
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isListening) return
    if (performance.now() > deadline) throw new Error(`${name} does not listen on port ${port}`)
    await sleep(50)
  }
}

/** A program of this package in a process of its own. */
export interface Child {
  url: string
  pid: number
  /** Sends a message and resolves with the reply. */
  request<T>(message: unknown): Promise<T>
  close(): Promise<void>
}

/** Starts a program, passes `order` as its argument, and waits for its first message: the port that it listens on. */
export async function startChild(file: URL, order: unknown, side?: Side): Promise<Child> {
  const path = fileURLToPath(file)
  const [command, ...args] = pinned(side, [process.execPath, path, JSON.stringify(order)])
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  const failed = rejectOnEnd(child, path)
  const nextMessage = () => Promise.race([once(child, 'message').then(([message]) => message), failed])
  const { port } = (await nextMessage()) as { port: number }
  return register({
    url: `http://127.0.0.1:${port}`,
    pid: Number(child.pid),
    async request(message) {
      const reply = nextMessage()
      child.send(message as object)
      return (await reply) as never
    },
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  })
}

export type TargetId =
  | 'node'
  | 'fastify'
  | 'nginx'
  | 'nginx-log'
  | 'plain'
  | 'platformatic'
  | 'postgraphile'
  | 'chancery'
  | 'chancery-keys'
  | 'chancery-redis'
  | 'chancery-redis-keys'

/** A server that is measured, on the core of the servers. */
export interface Target {
  id: TargetId
  title: string
  url: string
  /** Its descendants are measured with it. */
  pid: number
  /** Of targets that replay one recorded response: this one from now on. */
  replay?(response: RecordedResponse): Promise<void>
}
