import type { ChildProcess } from 'node:child_process'

const lastLines = 5
const lineLengthMax = 200

/** How a process ended, in words. */
export const describeEnd = (status: number | null, signal: NodeJS.Signals | null): string =>
  signal ? `ended by ${signal}` : `exit status ${status}`

/** How a process failed, with the last lines that it wrote. */
export function describeFailure({ ended, output }: { ended: string; output: string }): string {
  const lines = output.split('\n').flatMap(line => line.trim().slice(0, lineLengthMax) || [])
  return [ended, lines.slice(-lastLines).join(' / ')].filter(text => text !== '').join(': ')
}

/** Rejects when a child ends or cannot be started, with its last lines: for a race with what it should do first. */
export function rejectOnEnd(child: ChildProcess, name: string): Promise<never> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', text => {
      output += text
    })
  }
  const { promise, reject } = Promise.withResolvers<never>()
  const fail = (ended: string) => reject(new Error(`${name}: ${describeFailure({ ended, output })}`))
  child.once('error', error => fail(error.message))
  child.once('close', (code, signal) => fail(describeEnd(code, signal)))
  // Whoever races it no longer looks when the child ends in its own time.
  promise.catch(() => {})
  return promise
}
