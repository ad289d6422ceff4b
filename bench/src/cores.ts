import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What serves has a core, and what asks has another. Databases take what is free. */
export type Side = 'server' | 'load'

/** The processors that this process may use. */
function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

function chooseCores(): Record<Side, number> | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).error) return undefined
  const [server, load] = allowedCpus()
  return server === undefined || load === undefined ? undefined : { server, load }
}

/** Undefined where there is one processor only, or nothing to pin with. */
export const cores = chooseCores()

/** A command that runs on its side's core, where the machine has one for each side. */
export function pinned(side: Side, command: readonly [string, ...string[]]): [string, ...string[]] {
  return cores ? ['taskset', '--cpu-list', String(cores[side]), ...command] : [...command]
}
