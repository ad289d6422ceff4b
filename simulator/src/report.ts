import { timestamp } from './calendar.ts'
import type { Fact, PutData } from './fact.ts'
import { economyOf, isNumeric, militaryOf, prestigeKey, productionOf, wearinessKey } from './nation.ts'
import type { Nation, WorldState } from './state.ts'
import { put, type Step } from './step.ts'

/** Facts per batch. The facts of a step refer only to earlier ones. */
export const batchFactsMax = 5000

/** Parts of a nation that are reported once at the end of a step, as a bit mask. */
export const dirtyPart = {
  score: 1,
  military: 2,
  economy: 4,
  production: 8,
  size: 16,
  weariness: 32,
  prestige: 64,
} as const

export function markDirty(step: Step, nation: Nation, parts: number) {
  nation.dirtyMask |= parts
  step.dirtyNations.add(nation)
}

/** Reports the changed parts of each nation, and returns the facts of the step in batches. */
export function* reportNations(step: Step): Generator<Fact[]> {
  while (step.facts.length > batchFactsMax) yield step.facts.splice(0, batchFactsMax)
  for (const nation of step.dirtyNations) {
    if (nation.dirtyMask !== 0) put(step, 'nation', step.until, changedRow(step.world, nation))
    nation.dirtyMask = 0
    if (step.facts.length >= batchFactsMax) yield step.facts.splice(0)
  }
  step.dirtyNations.clear()
  yield step.facts.splice(0)
}

function changedRow(world: WorldState, nation: Nation): PutData<'nation'> {
  const has = (parts: number) => (nation.dirtyMask & parts) !== 0
  const known = new Set(world.vocabulary.profile.attributes.nation.filter(isNumeric).map(({ key }) => key))
  const attributes = {
    ...(has(dirtyPart.weariness) && known.has(wearinessKey) ? { [wearinessKey]: nation.weariness } : {}),
    ...(has(dirtyPart.prestige) && known.has(prestigeKey) ? { [prestigeKey]: nation.prestige } : {}),
  }
  return {
    id: nation.id,
    ...(has(dirtyPart.score) ? { national_score: nation.score } : {}),
    ...(has(dirtyPart.size) ? { city_count: nation.cities, land_area: nation.land } : {}),
    ...(has(dirtyPart.military) ? { military: militaryOf(world, nation) } : {}),
    ...(has(dirtyPart.economy) ? { economy: economyOf(world, nation) } : {}),
    ...(has(dirtyPart.production) ? { production: productionOf(nation) } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  }
}

/** Reports a complete membership. */
export function reportMembership(step: Step, nation: Nation, at: number) {
  if (!nation.alliance || !nation.rank) return
  put(step, 'alliance_member', at, {
    nation_id: nation.id,
    alliance_id: nation.alliance.id,
    rank: nation.rank.key,
    joined_at: timestamp(nation.joinedAt),
    ...(nation.seesTreasury === null ? {} : { can_view_treasury: nation.seesTreasury }),
  })
}
