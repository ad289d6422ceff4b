import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isErrno } from './errors.ts'

export interface RunningProcess {
  pid: number
  uid: number
  /** Its command line, arguments joined by spaces. */
  command: string
}

/** True also for a zombie. */
export function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (err) {
    // EPERM: it exists and belongs to another user.
    return isErrno(err) && err.code === 'EPERM'
  }
}

/** False for a zombie, which may stay forever in a container. */
export function isAlive(pid: number): boolean {
  if (!hasProcess(pid)) return false
  if (process.platform !== 'linux') return true
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The state follows the name, which is in parentheses and may contain some itself.
    return status.charAt(status.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    return false
  }
}

/** True if a signal was sent. */
export function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (err) {
    if (isErrno(err) && err.code === 'ESRCH') return false
    throw err
  }
}

/** Undefined on Windows, which does not list them. */
export async function listProcesses(): Promise<RunningProcess[] | undefined> {
  if (process.platform === 'win32') return undefined
  if (process.platform !== 'linux') return listByPs()
  // Not by ps: slim container images have none.
  return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? readProc(Number(name)) : []))
}

export async function findProcess(pid: number): Promise<RunningProcess | undefined> {
  if (process.platform === 'linux') return readProc(pid)[0]
  return (await listProcesses())?.find(found => found.pid === pid)
}

function readProc(pid: number): RunningProcess[] {
  try {
    // PostgreSQL overwrites its arguments with a title, zeroes behind it.
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ')
    return [{ pid, uid: statSync(`/proc/${pid}`).uid, command }]
  } catch {
    // It exited since it was listed.
    return []
  }
}

async function listByPs(): Promise<RunningProcess[]> {
  const { output } = await run('/bin/ps', ['-axww', '-o', 'pid=,uid=,command='], {})
  return output.split('\n').flatMap(line => {
    const [, pid, uid, command] = /^\s*(\d+)\s+(-?\d+)\s+(.*)$/.exec(line) ?? []
    return pid && uid && command ? [{ pid: Number(pid), uid: Number(uid), command }] : []
  })
}

export interface RunResult {
  /** Undefined if it could not be started or was ended by a signal. */
  status: number | undefined
  /** Standard output and standard error. */
  output: string
  /** Exit status, signal or error, in words. */
  ended: string
}

/** Another user to run a process as. */
interface RunsAs {
  uid: number
  gid: number
}

/** Options of every process of the server. */
export function spawnOptions(user?: RunsAs) {
  return {
    // PG* and LC_* of this process would change the server. Windows adds what it needs.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    // The other user may not have access to the current directory.
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

const lastLines = 5
const lineLengthMax = 200

/** The end of a process in words. */
export const describeEnd = (status: number | null, signal: NodeJS.Signals | null): string =>
  signal ? `ended by ${signal}` : `exit status ${status}`

/** The failure of a process in words, with its last lines of output. */
export function describeFailure({ ended, output }: { ended: string; output: string }): string {
  const lines = output.split('\n').flatMap(line => line.trim().slice(0, lineLengthMax) || [])
  return [ended, lines.slice(-lastLines).join(' / ')].filter(text => text !== '').join(': ')
}

/** Rejects when a child exits or cannot be started, with its last lines of output: for a race with its readiness. */
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
  // After the race nothing handles the rejection of a regular exit.
  promise.catch(() => {})
  return promise
}
