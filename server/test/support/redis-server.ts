import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'
import { freePort } from '../../src/store/embedded/socket.ts'

/** An empty redis-server on a free port. */
export interface RedisServer {
  url: string
  /** Kills it, as in a crash. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>
  /** Stops the process: connections stay open without responses. */
  hang(): void
  resume(): void
  /** Sends one command, written as on redis-cli, and returns the raw reply. */
  command(line: string): Promise<string>
}

/** The reason to skip tests that start a redis-server, or false. */
export const withoutRedis = spawnSync('redis-server', ['--version']).error
  ? 'redis-server is not installed'
  : false

/** Starts a server that ends with the test; skips the test if redis-server is not installed. */
export async function startRedisServer(t: TestContext): Promise<RedisServer | undefined> {
  if (withoutRedis) {
    t.skip(withoutRedis)
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

/** The server of CHANCERY_TEST_VALKEY_URL, else a new one. */
export async function redisUrl(t: TestContext): Promise<string | undefined> {
  return process.env.CHANCERY_TEST_VALKEY_URL ?? (await startRedisServer(t))?.url
}
