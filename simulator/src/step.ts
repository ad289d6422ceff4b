import type { FactResource } from '@chancery/contract'
import { timestamp } from './calendar.ts'
import type { Fact, Put, PutData } from './fact.ts'
import { Random } from './random.ts'
import type { Alliance, Conflict, Era, FoughtBattle, Nation, Treaty, War, WorldState } from './state.ts'
import type { Good, Unit } from './vocabulary.ts'

/**
 * One simulated period: a day of history, or a live tick.
 *
 * Ticks of one run are unknown to the next: after a restart the world is in the state at the end of history, while the receiver of the
 * facts is ahead. Therefore ids made in a tick contain the tick’s time, a tick refers only to rows of history or of this run, sends
 * complete memberships and wars, and deletes nothing.
 */
export interface Step {
  readonly world: WorldState
  readonly from: number
  readonly until: number
  /** How much is simulated, in days: in a short tick more than its length, so that a live world is busy. */
  readonly days: number
  /** Days of history left after it; infinite in ticks. */
  readonly daysLeft: number
  readonly isLive: boolean
  readonly facts: Fact[]
  readonly occurrences: Occurrence[]
  readonly dirtyNations: Set<Nation>
  /** A random stream per purpose. */
  random(purpose: string): Random
  nextId(kind: string): string
}

export function createStep(
  world: WorldState,
  span: { from: number; until: number; days: number; daysLeft: number; mark: string; isLive: boolean },
): Step {
  const streams = new Map<string, Random>()
  const own = new Map<string, number>()
  const { mark, ...rest } = span
  const counters = span.isLive ? own : world.counters
  return {
    world,
    ...rest,
    facts: [],
    occurrences: [],
    dirtyNations: new Set(),
    random(purpose) {
      const known = streams.get(purpose)
      if (known) return known
      const stream = new Random(world.seed, mark, purpose)
      streams.set(purpose, stream)
      return stream
    },
    nextId(kind) {
      const number = (counters.get(kind) ?? 0) + 1
      counters.set(kind, number)
      return span.isLive ? `${kind}${mark}-${number}` : `${kind}${number}`
    },
  }
}

export function put<N extends FactResource>(step: Step, resource: N, at: number, data: PutData<N>) {
  const fact: Put<N> = { op: 'put', resource, data, at: timestamp(at) }
  // A put of one resource is a fact; TypeScript cannot infer it for a generic name.
  step.facts.push(fact as Put<'nation'>)
}

export function remove(step: Step, resource: FactResource, id: string, at: number) {
  step.facts.push({ op: 'delete', resource, id, at: timestamp(at) })
}

/** A random time within the step. */
export const randomMoment = ({ from, until }: Step, random: Random): number =>
  Math.floor(from + random.unit() * (until - from))

export type WarOutcome = 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate'

/** Something that occurred in a step, as a subject for the news. */
export type Occurrence = { at: number } & (
  | { kind: 'war_declared'; war: War }
  | { kind: 'war_ended'; war: War; outcome: WarOutcome }
  | ({ kind: 'battle' } & FoughtBattle)
  | { kind: 'launch'; war: War; attacker: Nation; defender: Nation; weapon: Unit; isIntercepted: boolean }
  | { kind: 'conflict_started'; conflict: Conflict; cause: string }
  | { kind: 'conflict_joined'; conflict: Conflict; alliance: Alliance; side: string }
  | { kind: 'conflict_left'; conflict: Conflict; alliance: Alliance }
  | { kind: 'conflict_ended'; conflict: Conflict }
  | { kind: 'era_turned'; old: Era; next: Era; champion: Alliance }
  | { kind: 'treaty_signed'; treaty: Treaty }
  | { kind: 'treaty_ended'; treaty: Treaty }
  | { kind: 'alliance_founded'; alliance: Alliance; founder: Nation }
  | { kind: 'alliance_renamed'; alliance: Alliance; oldName: string }
  | { kind: 'alliance_disbanded'; alliance: Alliance }
  | { kind: 'nation_founded'; nation: Nation }
  | { kind: 'nation_renamed'; nation: Nation; oldName: string }
  | { kind: 'leader_changed'; alliance: Alliance; nation: Nation; predecessor: Nation }
  | { kind: 'price_moved'; good: Good; price: number; percent: number }
  | { kind: 'disaster'; nation: Nation; disaster: string; severity: number }
)
export type OccurrenceOf<K extends Occurrence['kind']> = Extract<Occurrence, { kind: K }>
