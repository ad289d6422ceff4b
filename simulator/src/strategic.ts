import { timestamp } from './calendar.ts'
import { cents } from './nation.ts'
import type { Random } from './random.ts'
import { dirtyPart, markDirty } from './report.ts'
import type { Nation, War } from './state.ts'
import { randomMoment, type Step } from './step.ts'
import type { Unit } from './vocabulary.ts'
import { closingDays } from './wars.ts'

const launchesPerWarDay = 0.02
/** Launches strategic weapons in wars, and intercepts some. Each of the last days of a history has at least one, so that a new demo shows them. Stocks stay private. */
export function launchWeapons(step: Step) {
  const { world, days, daysLeft } = step
  const { forces } = world
  const weapons = world.vocabulary.strategicUnits
  if (weapons.length === 0) return
  const random = step.random('strategic')
  const before = step.occurrences.length
  for (const war of world.wars) {
    const side = random.chance(0.5) ? war.attacker : war.defender
    const isDesperate = (side === war.attacker) === war.momentum < 0
    const stocked = weapons.filter(weapon => forces.of(side, weapon) > 0)
    if (stocked.length === 0 || !random.chance(launchesPerWarDay * days * (isDesperate ? 4 : 2))) continue
    launch(step, war, side, random.pick(stocked), random)
  }
  if (daysLeft < closingDays && step.occurrences.length === before) closingLaunch(step, random, weapons)
}

function closingLaunch(step: Step, random: Random, weapons: readonly Unit[]) {
  const mightiest = [...step.world.wars]
    .sort((one, other) => other.attacker.score - one.attacker.score)
    .slice(0, 5)
  if (mightiest.length === 0) return
  const war = random.pick(mightiest)
  const weapon = random.pick(weapons)
  const { forces } = step.world
  if (forces.of(war.attacker, weapon) === 0) forces.set(war.attacker, weapon, 1)
  launch(step, war, war.attacker, weapon, random)
}

function launch(step: Step, war: War, attacker: Nation, weapon: Unit, random: Random) {
  const defender = attacker === war.attacker ? war.defender : war.attacker
  const at = Math.max(war.declaredAt, randomMoment(step, random))
  const isIntercepted = random.chance(0.38)
  const { forces, stocks, vocabulary } = step.world
  forces.add(attacker, weapon, -1)
  markDirty(step, attacker, dirtyPart.military)
  const data = {
    weapon: weapon.key,
    attacker_nation_id: attacker.id,
    defender_nation_id: defender.id,
    war_id: war.id,
    battle_id: null,
  }
  step.facts.push({
    op: 'event',
    data: { type: 'strategic_weapon.launched', occurred_at: timestamp(at), data },
  })
  if (isIntercepted) {
    const later = timestamp(Math.min(at + 240, Math.max(at, step.until)))
    step.facts.push({
      op: 'event',
      data: { type: 'strategic_weapon.intercepted', occurred_at: later, data },
    })
  } else {
    defender.score = cents(defender.score * 0.98)
    defender.credits = Math.floor(defender.credits * 0.85)
    for (const good of vocabulary.goods) stocks.set(defender, good, stocks.of(defender, good) * 0.88)
    war.momentum += attacker === war.attacker ? 0.7 : -0.7
    markDirty(step, defender, dirtyPart.score | dirtyPart.economy)
  }
  step.occurrences.push({ kind: 'launch', at, war, attacker, defender, weapon, isIntercepted })
}
