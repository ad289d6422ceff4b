/** What a run of `bench http` or `bench memory` leaves behind in bench/results.json: everything that performance.md is made of. */

import { type Machine, median } from '../machine.ts'
import type { OverheadShares } from '../profile.ts'
import type { TargetId } from '../servers.ts'

export interface Results {
  http?: HttpResults
  memory?: MemoryResults
}

export interface HttpResults {
  measuredOn: string
  command: string
  machine: Machine & { versions: Record<string, string> }
  rounds: number
  seconds: number
  connections: number
  world: { nations: number; wars: number; events: number }
  workloads: WorkloadResult[]
  leftOut: string[]
  overhead?: { anonymous: OverheadShares; withKeys: OverheadShares }
}

export interface WorkloadResult {
  id: string
  title: string
  targets: TargetResult[]
}

/** One value for each round. */
export interface TargetResult {
  id: TargetId
  title: string
  perSecond: number[]
  p50Ms: number[]
  p99Ms: number[]
  /** Processor time of a request in microseconds, of the server and of the database; null outside Linux. */
  serverUs: (number | null)[]
  databaseUs: (number | null)[]
  /** Share of its core that the server used: far below 1, something else was the limit. */
  busy: (number | null)[]
}

/** Resident bytes, by seconds since the load began. */
export interface MemorySample {
  second: number
  bytes: number
}

/** In bytes. */
export interface MemoryTrend {
  max: number
  /** Mean of the second fifth of the time, after the warm-up. */
  early: number
  /** Mean of the last fifth. */
  late: number
  /** Growth by a linear regression over the last two thirds. */
  perHour: number
}

export interface MemoryResults extends MemoryTrend {
  measuredOn: string
  minutes: number
  nations: number
  requests: number
  /** Of these with a status from 400 on: searches without a free connection. */
  errors: number
  samples: MemorySample[]
}

/** The median of the known values; null without any. */
export function medianOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter(value => value !== null)
  return known.length > 0 ? median(known) : null
}

/** The simplest target with the same responses, which the others are compared with. */
export const baselineOf = ({ targets }: WorkloadResult): TargetId | undefined =>
  (['node', 'plain'] as const).find(id => targets.some(target => target.id === id))

/** How many times another's rate a target has, and how many times its processor time a request takes. */
export interface Ratio {
  rate: number
  /** Null outside Linux. */
  cpu: number | null
}

/** Compares two targets within each round, then takes the median: what slows the machine for a while slows both in that round. */
export function ratioOf(
  { targets }: Pick<WorkloadResult, 'targets'>,
  id: TargetId,
  baseline: TargetId,
): Ratio | undefined {
  const [one, other] = [id, baseline].map(wanted => targets.find(target => target.id === wanted))
  if (!one || !other) return undefined
  const divide = (some: readonly (number | null)[], others: readonly (number | null)[]) =>
    medianOfKnown(
      some.map((value, round) => {
        const beside = others[round]
        return value === null || beside === null || beside === undefined ? null : value / beside
      }),
    )
  const rate = divide(one.perSecond, other.perSecond)
  return rate === null ? undefined : { rate, cpu: divide(one.serverUs, other.serverUs) }
}
