import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../', import.meta.url))
/** The system's Python, or the one that the environment names. */
const program = process.env.PYTHON ?? 'python3'

/** For `describe`: skips, and says why, where there is no Python. */
export const withPython =
  spawnSync(program, ['--version']).status === 0 ? {} : { skip: `${program} is not installed` }

/** What every script begins with. `tell` prints a line that `runPython` reads. */
const prelude = `
import json, os, sys, time
import chancery
from chancery import Chancery, ChanceryError, WebhookError, verify_webhook

def tell(value):
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

/**
 * Runs a script with `chancery` at hand, and returns what it told. `url` is where its `client()` goes; `input` is its
 * standard input. Rejects, with its standard error, where it fails or takes longer than half a minute.
 */
export function runPython(
  script: string,
  {
    url = 'http://127.0.0.1:9',
    input = '',
    env = {},
  }: { url?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      ['-W', 'error', '-B', '-c', prelude + script],
      {
        env: { ...process.env, ...env, PYTHONPATH: folder, PYTHONUTF8: '1', CHANCERY_URL: url },
        timeout: 30_000,
        maxBuffer: 64_000_000,
      },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stderr}`))
        else
          resolve(
            stdout
              .split('\n')
              .filter(Boolean)
              .map(line => JSON.parse(line)),
          )
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
