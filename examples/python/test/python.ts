import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../', import.meta.url))
/** The system's Python, or the one that the environment names. */
const program = process.env.PYTHON ?? 'python3'

/** For `describe`: skips, with the reason, if Python is not installed. */
export const withPython =
  spawnSync(program, ['--version']).status === 0 ? {} : { skip: `${program} is not installed` }

/** The start of every script. `report` prints a line that `runPython` reads. */
const prelude = `
import json, os, sys, time
import chancery
from chancery import Chancery, ChanceryError, WebhookError, verify_webhook

def report(value):
    print(json.dumps(value), flush=True)

def client(**options):
    return Chancery(os.environ["CHANCERY_URL"], **{"wait_seconds": 0.01, **options})

def fails(call):
    try:
        call()
    except ChanceryError as error:
        return [error.code, error.status, error.request_id, error.retry_after]
    return "it did not fail"
`

interface ScriptResult {
  status: number
  output: string
  errors: string
}

let runner: { run(job: object): Promise<ScriptResult> } | undefined

/** One Python process for all scripts, each of which runs in a fork. It ends when its input ends. */
function startRunner() {
  const child = spawn(
    program,
    ['-W', 'error', '-B', fileURLToPath(new URL('run_scripts.py', import.meta.url))],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PYTHONPATH: folder, PYTHONUTF8: '1' },
    },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  const sockets = [child, child.stdin, child.stdout] as { ref?(): void; unref?(): void }[]
  const run = async (job: object): Promise<ScriptResult> => {
    for (const socket of sockets) socket.ref?.()
    child.stdin.write(`${JSON.stringify(job)}\n`)
    const { value } = await lines.next()
    for (const socket of sockets) socket.unref?.()
    if (value === undefined) throw new Error('Python has ended')
    return JSON.parse(value) as ScriptResult
  }
  return {
    run(job: object): Promise<ScriptResult> {
      const result = last.then(() => run(job))
      last = result.catch(() => undefined)
      return result
    },
  }
}

/**
 * Runs a script that can use `chancery`, and returns the values that it reported. `url` is the base of its `client()`;
 * `input` is its standard input. Rejects with its standard error if it fails or takes longer than a minute.
 */
export async function runPython(
  script: string,
  {
    url = 'http://127.0.0.1:9',
    input = '',
    env = {},
  }: { url?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<unknown[]> {
  runner ??= startRunner()
  const { status, output, errors } = await runner.run({
    script: prelude + script,
    input,
    env: { ...env, CHANCERY_URL: url },
  })
  if (status !== 0) throw new Error(`the script ended with ${status}\n${errors}`)
  return output
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}
