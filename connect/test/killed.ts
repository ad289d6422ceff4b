import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./pull-process.ts', import.meta.url))

/** A puller or drainer as a process. */
export interface Runner {
  child: ChildProcess
  /** Its output so far, by line. */
  lines: string[]
  /** Resolves when a line matches; rejects when it ends before. */
  until(pattern: RegExp): Promise<void>
  kill(): Promise<void>
}

export function startRunner(what: 'pull' | 'outbox', env: Record<string, string>): Runner {
  const child = spawn(process.execPath, [program, what], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  })
  const lines: string[] = []
  const exited = once(child, 'exit')
  let changed = Promise.withResolvers<void>()
  const take = (line: string) => {
    lines.push(line)
    changed.resolve()
    changed = Promise.withResolvers()
  }
  createInterface({ input: child.stdout }).on('line', take)
  createInterface({ input: child.stderr }).on('line', line => take(`error: ${line}`))
  return {
    child,
    lines,
    async until(pattern) {
      const ended = exited.then(() => {
        throw new Error(`it ended before it printed ${pattern}:\n${lines.join('\n')}`)
      })
      ended.catch(() => {})
      while (!lines.some(line => pattern.test(line))) await Promise.race([changed.promise, ended])
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
