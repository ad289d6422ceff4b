import type { Turn } from '../measure.ts'
import type { ContestantId } from '../work.ts'
import type { Results } from './results.ts'
import { medianOf } from './statistics.ts'

/** How many times another's rate one has, and how much of its processor time a call takes. */
export interface Ratio {
  rate: number
  /** Of every round, in order. */
  rates: number[]
  /** Null where the system does not tell. */
  cpu: number | null
}

/**
 * Compares two at one work: each round on its own, and then the middle of the rounds. What slows the machine for a while slows both
 * in that round. Undefined where one of them was not measured.
 */
export function ratioOf(
  { works }: Pick<Results, 'works'>,
  workId: string,
  one: ContestantId,
  other: ContestantId,
): Ratio | undefined {
  const work = works.find(({ id }) => id === workId)
  const turnsOf = (wanted: ContestantId): Turn[] =>
    work?.contestants.find(({ id }) => id === wanted)?.turns ?? []
  const others = turnsOf(other)
  const pairs = turnsOf(one).flatMap((turn, round) => {
    const beside = others[round]
    return beside ? [{ turn, beside }] : []
  })
  if (pairs.length === 0) return undefined
  const rates = pairs.map(({ turn, beside }) => turn.perSecond / beside.perSecond)
  const cpu = pairs.flatMap(({ turn, beside }) =>
    turn.cpuMicroseconds === null || beside.cpuMicroseconds === null
      ? []
      : [turn.cpuMicroseconds / beside.cpuMicroseconds],
  )
  return { rate: medianOf(rates), rates, cpu: cpu.length > 0 ? medianOf(cpu) : null }
}
