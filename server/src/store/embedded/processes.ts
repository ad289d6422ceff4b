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
    // EPERM: it is there, as somebody else's.
    return isErrno(err) && err.code === 'EPERM'
  }
}

/** False for a zombie: in a container it may stay for long, or for ever. */
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

/** Undefined where the system does not tell (Windows). */
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
    // Gone since it was listed.
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
