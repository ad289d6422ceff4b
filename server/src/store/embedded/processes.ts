import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isErrno } from './errno.ts'
import { run } from './run.ts'

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
