import type { FactResource } from '@chancery/contract'
import { written } from './calendar.ts'
import type { Fact, Put, Said } from './fact.ts'
import type { Happening } from './happening.ts'
import { Random } from './random.ts'
import type { Nation, WorldState } from './state.ts'

/**
 * A stretch of time in which things happen: a day of history, or a live tick.
 *
 * Ticks of one run are unknown to the next: after a restart the world stands where history ended, while the reader
 * of the facts is ahead. Therefore whatever a tick makes carries the tick’s moment in its id, a tick names only
 * what history or this run has made, tells memberships and wars whole enough to stand alone, and deletes nothing.
 */
export interface Step {
  readonly world: WorldState
  readonly from: number
  readonly until: number
  /** How much life goes into it, in days: of a short tick more than its length, so that a watched world is busy. */
  readonly days: number
  /** Days of history left after it; infinite in ticks. */
  readonly daysLeft: number
  readonly isLive: boolean
  readonly facts: Fact[]
  readonly happenings: Happening[]
  readonly changed: Set<Nation>
  /** One stream of chance for each purpose. */
  random(purpose: string): Random
  nextId(kind: string): string
}

export function beginStep(
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
    happenings: [],
    changed: new Set(),
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

export function put<N extends FactResource>(step: Step, resource: N, data: Said<N>, at: number) {
  const fact: Put<N> = { op: 'put', resource, data, at: written(at) }
  // A put of one resource is a fact; TypeScript does not see it through the generic name.
  step.facts.push(fact as Put<'nation'>)
}

export function remove(step: Step, resource: FactResource, id: string, at: number) {
  step.facts.push({ op: 'delete', resource, id, at: written(at) })
}

/** A moment within the step. */
export const moment = ({ from, until }: Step, random: Random): number =>
  Math.floor(from + random.unit() * (until - from))
