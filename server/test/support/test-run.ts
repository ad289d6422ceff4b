import { randomBytes } from 'node:crypto'
import { isAlive } from '../../src/store/embedded/processes.ts'

/** A run's name begins the names of its databases and directories: whoever finds one later can tell whether it is still in use. */
export interface TestRun {
  name: string
  startedAt: Date
  pid: number
}

const prefix = 'chancery_test'
const pattern = new RegExp(`^(${prefix}_(\\d{14})_(\\d+)_[0-9a-f]{6})(?:_|$)`)
const hoursMax = 3

export function newTestRun(now = new Date()): TestRun {
  const time = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const { pid } = process
  return { name: `${prefix}_${time}_${pid}_${randomBytes(3).toString('hex')}`, startedAt: now, pid }
}

/** The run that a database or directory was made by; undefined if it is none of ours. */
export function runOf(name: string): TestRun | undefined {
  const [, run, time, pid] = pattern.exec(name) ?? []
  if (!run || !time || !pid) return undefined
  const iso = time.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z')
  return { name: run, startedAt: new Date(iso), pid: Number(pid) }
}

/** Process ids come round again: age decides then. */
export function isOver(run: TestRun, now = new Date()): boolean {
  return !isAlive(run.pid) || now.getTime() - run.startedAt.getTime() > hoursMax * 3_600_000
}
