import { cpus, loadavg, totalmem } from 'node:os'
import { cores } from './cores.ts'
import { versionOf } from './installed.ts'
import type { Machine } from './report/results.ts'

/** The load average of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? 0

/** What the run ran on. */
export function describeMachine({ loadBefore, postgres }: { loadBefore: number; postgres: string }): Machine {
  const installed = {
    wrk: versionOf('wrk', '-v'),
    nginx: versionOf('nginx', '-v'),
    Redis: versionOf('redis-server', '--version'),
  }
  const known = Object.entries(installed).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    model: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    memoryBytes: totalmem(),
    cores: cores ?? null,
    load: { before: loadBefore, after: loadNow() },
    versions: {
      Node: process.versions.node,
      PostgreSQL: postgres,
      ...Object.fromEntries(known),
    },
  }
}
