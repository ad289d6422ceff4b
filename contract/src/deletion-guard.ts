import type { FactResource } from './contract.ts'

/** Ties come and go by themselves, many at a time: an alliance that disbands takes its members and treaties with it. */
const ties: ReadonlySet<FactResource> = new Set(['alliance_member', 'alliance_application', 'treaty'])

/**
 * How many of so many things of a resource may be missing at once before that is taken for a mistake: a tenth. Of few things
 * one may go, and of ties twenty. A view that is empty by accident must not erase a world.
 */
export function deletesMax(resource: FactResource, things: number): number {
  return Math.max(Math.floor(things / 10), ties.has(resource) ? 20 : 1)
}
