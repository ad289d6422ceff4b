import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rejectOnEnd } from '../../server/src/store/embedded/child-failure.ts'
import { freePort } from './free-port.ts'

export interface RedisServer {
  url: string
  close(): Promise<void>
}

/** A Redis of the bench's own, which keeps nothing. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-redis-'))
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', directory]
  const child = spawn('redis-server', [...settings, '--loglevel', 'warning'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const failed = rejectOnEnd(child, 'redis-server did not start')
  const ended = once(child, 'exit')
  const deadline = performance.now() + 5_000
  while (!(await answers(port))) {
    if (performance.now() > deadline) throw new Error('redis-server does not answer')
    await Promise.race([sleep(50), failed])
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}
