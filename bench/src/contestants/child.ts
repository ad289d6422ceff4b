import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pinned } from '../cores.ts'
import type { Contestant } from './contestant.ts'

/** What a program of this folder says when it listens. */
export interface Listening {
  port: number
}

export interface Child extends Pick<Contestant, 'url' | 'pid' | 'close'> {
  /** Sends a message, and resolves when the program has said that it is done with it. */
  tell(message: unknown): Promise<void>
}

/** Starts a program of this folder on the servers' core, and waits until it listens. */
export async function startChild(file: string, order: unknown): Promise<Child> {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const [command, ...args] = pinned('server', [process.execPath, program])
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  const tell = async (message: unknown) => {
    const answered = nextMessage(child, file)
    child.send(message as object)
    return answered
  }
  const { port } = (await tell(order)) as Listening
  return {
    url: `http://127.0.0.1:${port}`,
    pid: Number(child.pid),
    async tell(message) {
      await tell(message)
    },
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as unknown),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${file} ended with ${code}`)
      }),
    ])
  } finally {
    waiting.abort()
  }
}
