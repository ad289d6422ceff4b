import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describeEnd } from './child-failure.ts'

export interface RunResult {
  /** Undefined if it could not be started or was ended by a signal. */
  status: number | undefined
  /** Standard output and standard error. */
  output: string
  /** How it ended, in words. */
  ended: string
}

/** The user that a process runs as, where it is not the caller's own. */
interface RunsAs {
  uid: number
  gid: number
}

/** What every process of the server is started with. */
export function spawnOptions(user?: RunsAs) {
  return {
    // PG* and LC_* of the caller would change the server. Windows adds what it needs by itself.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    // The caller's own directory may be closed to the other user.
    cwd: process.platform === 'win32' ? undefined : '/',
    windowsHide: true,
    // Node drops the supplementary groups with them.
    ...(user && { uid: user.uid, gid: user.gid }),
  }
}

export async function run(file: string, args: string[], options: { user?: RunsAs }): Promise<RunResult> {
  const child = spawn(file, args, { ...spawnOptions(options.user), stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<{ status: number | undefined; ended: string }>(resolve => {
    child.once('error', err => resolve({ status: undefined, ended: err.message }))
    child.once('close', (code, signal) =>
      resolve({ status: code ?? undefined, ended: describeEnd(code, signal) }),
    )
  })
  const [stdout, stderr, outcome] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { ...outcome, output: stdout + stderr }
}
