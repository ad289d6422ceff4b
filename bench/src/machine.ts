/** The machine that a benchmark runs on: its cores, the processor time and memory of processes, installed programs. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'

/** Servers run on one core and the load generator on another. Databases use whichever is free. */
export type Side = 'server' | 'load'

function chooseCores(): Record<Side, number> | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).error) return undefined
  const status = readFileSync('/proc/self/status', 'utf8')
  const ranges = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1]?.split(',') ?? []
  const [server, load] = ranges.flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return last > first ? [first, first + 1] : [first]
  })
  return server === undefined || load === undefined ? undefined : { server, load }
}

/** Undefined on one processor, or without `taskset`. */
const cores = chooseCores()

/** The command, pinned to the core of its side where there is one. */
export const pinned = (
  side: Side | undefined,
  command: readonly [string, ...string[]],
): [string, ...string[]] =>
  cores && side ? ['taskset', '--cpu-list', String(cores[side]), ...command] : [...command]

/** Seconds of user and system time of a process and all its descendants, exited ones included; undefined outside Linux. */
async function cpuSecondsOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // After the process name: fields 12 to 15 are utime, stime, cutime and cstime, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = fields.slice(11, 15).reduce((sum, time) => sum + Number(time), 0) / 100
  const descendants = await Promise.all((await childrenOf(pid)).map(cpuSecondsOf))
  return descendants.reduce<number>((sum, seconds) => sum + (seconds ?? 0), own)
}

/** The running children of a process; none outside Linux. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Resident memory in bytes; 0 outside Linux. */
export async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

/** The result of `work` and what it cost: elapsed seconds, and processor seconds of each process (null outside Linux). */
export interface Measured<T> {
  value: T
  seconds: number
  cpuSeconds: (number | null)[]
}

export async function measureCpu<T>(pids: readonly number[], work: () => Promise<T>): Promise<Measured<T>> {
  const before = await Promise.all(pids.map(cpuSecondsOf))
  const startedMs = performance.now()
  const value = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const after = await Promise.all(pids.map(cpuSecondsOf))
  const cpuSeconds = after.map((total, index) => {
    const start = before[index]
    return total === undefined || start === undefined ? null : total - start
  })
  return { value, seconds, cpuSeconds }
}

/** The first version number that a program prints; undefined if it is not installed. */
export function versionOf(program: string, argument: string): string | undefined {
  const { error, stdout, stderr } = spawnSync(program, [argument], { encoding: 'utf8' })
  return error ? undefined : (/\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown')
}

/** Load average of the last minute. */
export const loadAverage = (): number => rounded(loadavg()[0] ?? 0, 1)

export interface Machine {
  model: string
  cpus: number
  memoryBytes: number
  /** Null if servers and load shared their cores. */
  cores: Record<Side, number> | null
  loadBefore: number
}

export const describeMachine = (): Machine => ({
  model: cpus()[0]?.model.trim() ?? 'unknown',
  cpus: cpus().length,
  memoryBytes: totalmem(),
  cores: cores ?? null,
  loadBefore: loadAverage(),
})

export const machineText = ({ cpus, model, memoryBytes }: Machine): string =>
  `${cpus} processors (${model}), ${Math.round(memoryBytes / 1e9)} GB`

export const today = (): string => new Date().toISOString().slice(0, 10)
export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))
export const count = (value: number): string => value.toLocaleString('en')
export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
export const mean = (values: readonly number[]): number => sum(values) / values.length

/** The value at a share (0 to 1) of the sorted values; NaN without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The mean of the two middle values where their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return mean([sorted[Math.floor(middle)] ?? Number.NaN, sorted[Math.ceil(middle)] ?? Number.NaN])
}
