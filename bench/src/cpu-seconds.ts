import { readFile } from 'node:fs/promises'

/** Of all threads of a process, where the system is a Linux. */
export async function cpuSecondsOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Behind the name, which may hold anything: user and system time are the 12th and 13th, in hundredths.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) / 100
}
