/** What runs leave behind in bench/results.json, by command. docs/operations/performance.md is made of it. */
import type { measureHttp } from '../http/http.ts'
import type { TargetId } from '../http/workloads.ts'
import { median } from '../machine.ts'
import type { measureMemory } from '../memory.ts'
import type { profileOverhead } from '../overhead.ts'

export interface Results {
  http?: HttpResults
  memory?: MemoryResults
}

export type HttpResults = Awaited<ReturnType<typeof measureHttp>>
export type MemoryResults = Awaited<ReturnType<typeof measureMemory>>
export type OverheadShares = Awaited<ReturnType<typeof profileOverhead>>
export type WorkloadResult = HttpResults['workloads'][number]

/** The median of the known values; null without any. */
export function medianOfKnown(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter(value => typeof value === 'number')
  return known.length > 0 ? median(known) : null
}

/** The simplest target with the same responses, which the others are compared with. */
export const baselineOf = ({ targets }: WorkloadResult): TargetId | undefined =>
  (['node', 'plain'] as const).find(id => targets.some(target => target.id === id))

/**
 * How many times another's rate and p99 a target has, and how many times its processor time a request takes: `cpu` in the server, `cpuWithDatabase`
 * with the database (null outside Linux). Compares two targets within each round, then takes the median: what slows the machine for a while
 * slows both in that round.
 */
export function ratioOf(
  { targets }: Pick<WorkloadResult, 'targets'>,
  id: TargetId,
  baseline: TargetId,
): { rate: number; cpu: number | null; cpuWithDatabase: number | null; p99: number | null } | undefined {
  const [one, other] = [id, baseline].map(wanted => targets.find(target => target.id === wanted))
  if (!one || !other) return undefined
  const divide = (some: readonly (number | null)[], others: readonly (number | null)[]) =>
    medianOfKnown(some.map((value, round) => value && others[round] && value / others[round]))
  const allUs = ({ serverUs, databaseUs }: WorkloadResult['targets'][number]) =>
    serverUs.map((us, round) => us && us + (databaseUs[round] ?? 0))
  const rate = divide(one.perSecond, other.perSecond)
  if (rate === null) return undefined
  return {
    rate,
    cpu: divide(one.serverUs, other.serverUs),
    cpuWithDatabase: divide(allUs(one), allUs(other)),
    p99: divide(one.p99Ms, other.p99Ms),
  }
}
