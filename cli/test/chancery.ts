import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from '../src/command-line.ts'

const main = fileURLToPath(new URL('../start/main.js', import.meta.url))

export interface Ended {
  status: number | null
  output: string
  messages: string
}

/** The environment of a command, without variables of a service on this machine. */
export function cleanEnvironment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CHANCERY|npm)_/i.test(name))
  return { ...Object.fromEntries(inherited), ...variables }
}

export function spawnChancery(
  words: string[],
  variables: Record<string, string> = {},
  stdio: StdioOptions = 'pipe',
): ChildProcess {
  return spawn(process.execPath, [main, ...words], { env: cleanEnvironment(variables), stdio })
}

/**
 * Runs the command to its end, in this process: starting a process takes a third of a second. Behaviour that needs a process
 * (signals, closed pipes, a database that it opens) is tested with `chanceryProcess`.
 */
export async function chancery(
  words: string[],
  variables: Record<string, string> = {},
  input = '',
): Promise<Ended> {
  const output = new MemoryOutput()
  const messages = new MemoryOutput()
  const status = await runCommandLine(words, {
    env: cleanEnvironment(variables),
    input: Readable.from([Buffer.from(input)], { objectMode: false }),
    output,
    messages,
  })
  return { status, output: output.text(), messages: messages.text() }
}

/** Runs the command as a process. */
export function chanceryProcess(
  words: string[],
  variables: Record<string, string> = {},
  input: string | Buffer = '',
): Promise<Ended> {
  const child = spawnChancery(words, variables)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return ended(child)
}

/** The variables of a service in a data directory, on free ports. */
export const serveVariables = (
  dataDir: string,
  more: Record<string, string> = {},
): Record<string, string> => ({
  CHANCERY_DATA_DIR: dataDir,
  CHANCERY_HOST: '127.0.0.1',
  CHANCERY_PORT: '0',
  CHANCERY_OPERATOR_PORT: '0',
  CHANCERY_DRAIN_SECONDS: '0',
  CHANCERY_LOG_LEVEL: 'silent',
  ...more,
})

/** Runs `work` while `chancery serve` runs as a process. */
export async function whileServed(
  variables: Record<string, string>,
  work: (publicUrl: string) => Promise<void>,
): Promise<void> {
  const child = spawnChancery(['serve', '--json'], variables)
  try {
    let text = ''
    for await (const chunk of child.stdout ?? []) {
      text += chunk
      if (text.includes('}')) break
    }
    await work(JSON.parse(text).public)
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
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

/** Stores the output. */
class MemoryOutput extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
