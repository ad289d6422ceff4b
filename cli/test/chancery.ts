import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface Ended {
  status: number | null
  output: string
  messages: string
}

/** The environment of a command: nothing of the caller's own service. */
export function cleanEnvironment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CHANCERY|npm)_/i.test(name))
  return { ...Object.fromEntries(inherited), ...variables }
}

export function startChancery(words: string[], variables: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...words], { env: cleanEnvironment(variables) })
}

/** Runs the command to its end. */
export async function chancery(
  words: string[],
  variables: Record<string, string> = {},
  input = '',
): Promise<Ended> {
  const child = startChancery(words, variables)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return ended(child)
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const { promise: exited, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  const [status, output, messages] = await Promise.all([
    exited,
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ])
  return { status, output, messages }
}
