import { wearinessKey } from './attributes.ts'
import { written } from './calendar.ts'
import type { Fact, Said } from './fact.ts'
import { economyOf, militaryOf, productionOf } from './nation.ts'
import type { Nation, WorldState } from './state.ts'
import { put, type Step } from './step.ts'

/** The most facts in a batch. Every beginning of a step’s facts refers only to what is there. */
export const portionFacts = 5000

/** Parts of a nation that are told together, once at the end of a step however often they changed in it. */
export const part = { score: 1, military: 2, economy: 4, production: 8, size: 16, weariness: 32 } as const

export function mark(step: Step, nation: Nation, parts: number) {
  nation.unsaid |= parts
  step.changed.add(nation)
}

/** Tells what has changed of each nation that a step touched, and hands over the facts of the step in portions. */
export function* reportNations(step: Step): Generator<Fact[]> {
  while (step.facts.length > portionFacts) yield step.facts.splice(0, portionFacts)
  for (const nation of step.changed) {
    if (nation.unsaid !== 0) put(step, 'nation', changedRow(step.world, nation), step.until)
    nation.unsaid = 0
    if (step.facts.length >= portionFacts) yield step.facts.splice(0)
  }
  step.changed.clear()
  yield step.facts.splice(0)
}

function changedRow(world: WorldState, nation: Nation): Said<'nation'> {
  const has = (parts: number) => (nation.unsaid & parts) !== 0
  const isWearinessTold = world.vocabulary.profile.attributes.nation.some(
    ({ key, type }) => key === wearinessKey && (type === 'integer' || type === 'number'),
  )
  return {
    id: nation.id,
    ...(has(part.score) ? { national_score: nation.score } : {}),
    ...(has(part.size) ? { city_count: nation.cities, land_area: nation.land } : {}),
    ...(has(part.military) ? { military: militaryOf(world, nation) } : {}),
    ...(has(part.economy) ? { economy: economyOf(world, nation) } : {}),
    ...(has(part.production) ? { production: productionOf(nation) } : {}),
    ...(has(part.weariness) && isWearinessTold ? { attributes: { [wearinessKey]: nation.weariness } } : {}),
  }
}

/** A membership whole enough to stand alone. */
export function tellMembership(step: Step, nation: Nation, at: number) {
  if (!nation.alliance || !nation.rank) return
  put(
    step,
    'alliance_member',
    {
      nation_id: nation.id,
      alliance_id: nation.alliance.id,
      rank: nation.rank.key,
      joined_at: written(nation.joinedAt),
      ...(nation.seesTreasury === null ? {} : { can_view_treasury: nation.seesTreasury }),
    },
    at,
  )
}
