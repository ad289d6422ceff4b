import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'

/** A redis-server of the test's own, empty, on a free port. */
export interface RedisServer {
  url: string
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>
  /** Keeps its connections open and answers nothing. */
  hang(): void
  resume(): void
  /** Sends one command, written as on redis-cli, and returns the reply as it comes. */
  command(line: string): Promise<string>
}

/** Starts a server that ends with the test; skips the test where there is no redis-server. */
export async function startRedisServer(t: TestContext): Promise<RedisServer | undefined> {
  if (spawnSync('redis-server', ['--version']).error) {
    t.skip('redis-server is not installed')
    return undefined
  }
  const port = await freePort()
  let child: ChildProcess | undefined

  const start = async () => {
    const started = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''])
    child = started
    const ready = new Promise<void>(resolve => {
      started.stdout.on('data', text => String(text).includes('Ready to accept connections') && resolve())
    })
    await Promise.race([ready, rejectOnEnd(started, 'redis-server did not start')])
  }

  const kill = async () => {
    if (!child) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    child = undefined
    await exit
  }

  const command = async (line: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${line}\r\n`)
    const [reply] = await once(socket, 'data')
    socket.destroy()
    return String(reply).trim()
  }

  await start()
  t.after(kill)
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    hang: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    command,
  }
}

/** The environment's server where it names one, else one of the test's own. */
export async function redisUrl(t: TestContext): Promise<string | undefined> {
  return process.env.CHANCERY_TEST_VALKEY_URL ?? (await startRedisServer(t))?.url
}

/** Stands between a client and its server, as a network does. */
export interface RedisProxy {
  url: string
  /** Passes nothing on any more over the connections there are; new ones work. */
  silence(): void
  /** How many connections were ever made. */
  connectionCount(): number
  /** Leads new connections to another server, as a name does after a failover. */
  leadTo(url: string): void
}

export async function startRedisProxy(t: TestContext, url: string): Promise<RedisProxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let connections = 0
  const relay = createServer(caller => {
    connections += 1
    const server = connect(Number(target.port), target.hostname)
    for (const socket of [caller, server]) sockets.add(socket.on('error', () => socket.destroy()))
    caller.pipe(server).pipe(caller)
  })
  const port = await listen(relay)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    connectionCount: () => connections,
    leadTo(other) {
      target = new URL(other)
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
