import { readFile } from 'node:fs/promises'

/** Of all threads of a process, and with `withEnded` of what it started and has ended since, where the system is a Linux. */
export async function cpuSecondsOf(
  pid: number,
  { withEnded = false }: { withEnded?: boolean } = {},
): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Behind the name, which may hold anything: user and system time are the 12th and 13th, in hundredths; then those of the ended.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const times = fields?.slice(11, withEnded ? 15 : 13).map(Number)
  return times && times.reduce((sum, time) => sum + time, 0) / 100
}

/** The same of a process and of all that it has started, those that have ended included. */
export async function cpuSecondsOfAll(pid: number): Promise<number | undefined> {
  const own = await cpuSecondsOf(pid, { withEnded: true })
  if (own === undefined) return undefined
  const times = await Promise.all((await startedBy(pid)).map(cpuSecondsOfAll))
  return times.reduce<number>((sum, seconds) => sum + (seconds ?? 0), own)
}

/** The processes that one has started and that still run, where the system is a Linux. */
export async function startedBy(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}

/** What a process holds in memory now, in bytes, where the system is a Linux. */
export async function residentBytesOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  const kilobytes = status && /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes ? Number(kilobytes) * 1024 : undefined
}
