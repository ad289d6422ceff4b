import { hourSeconds, timestamp } from './calendar.ts'
import { clamp } from './economy.ts'
import { cents } from './nation.ts'
import type { Random } from './random.ts'
import { dirtyPart, markDirty } from './report.ts'
import type { FoughtBattle, Nation, Siege, War, WorldState } from './state.ts'
import { put, randomMoment, type Step } from './step.ts'
import type { BattleKind, Unit } from './vocabulary.ts'

const battlesPerWarDay = 1.35

/** Fights the battles of a step. A tick has at least one, if any is possible. */
export function fightBattles(step: Step) {
  const { world, days, isLive, until } = step
  const random = step.random('battles')
  const active = [...world.wars]
  let fought = 0
  for (const war of active) {
    const due = war.sieges.filter(({ endsAt }) => endsAt <= until)
    war.sieges = war.sieges.filter(siege => !due.includes(siege))
    for (const siege of due) endSiege(step, siege, siege.endsAt)
    for (let left = random.occurrences(battlesPerWarDay * days); left > 0; left--) {
      const at = Math.max(war.declaredAt, randomMoment(step, random))
      if (fightBattle(step, war, random, Math.min(at, until))) fought++
    }
  }
  for (const war of isLive && fought === 0 ? random.sample(active, 5) : []) {
    if (fightBattle(step, war, random, until)) break
  }
  raid(step)
}

function endSiege(step: Step, { battleId, result, fought }: Siege, at: number) {
  put(step, 'battle', at, { id: battleId, ended_at: timestamp(at), ...result })
  step.occurrences.push({ kind: 'battle', at, ...fought })
}

/** Ends the sieges of a war that ends. */
export function endSieges(step: Step, war: War, at: number) {
  for (const siege of war.sieges) endSiege(step, siege, Math.min(siege.endsAt, at))
  war.sieges = []
}

const raidsPerNationDay = 0.004

/** Battles without a declared war, between nations that are not at war and not in one alliance. */
function raid(step: Step) {
  const { world, days, until } = step
  const random = step.random('raids')
  const able = world.nations.filter(({ status }) => status === 'active')
  if (able.length < 2) return
  for (let left = random.occurrences(able.length * raidsPerNationDay * days); left > 0; left--) {
    const attacker = random.pick(able)
    const defender = random.pick(able)
    const areAllied = attacker.alliance !== null && attacker.alliance === defender.alliance
    const areAtWar = world.wars.some(
      war =>
        [war.attacker, war.defender].includes(attacker) && [war.attacker, war.defender].includes(defender),
    )
    if (attacker === defender || areAllied || areAtWar) continue
    fight(step, { attacker, defender, war: null }, random, Math.min(randomMoment(step, random), until))
  }
}

function fightBattle(step: Step, war: War, random: Random, at: number): boolean {
  if (Math.abs(war.momentum) >= war.decidedAt) return false
  const isCounterattack = random.chance(war.momentum < 0 ? 0.5 : 0.34)
  const [attacker, defender] = isCounterattack ? [war.defender, war.attacker] : [war.attacker, war.defender]
  const fought = fight(step, { attacker, defender, war }, random, at)
  if (!fought) return false
  record(war, { isCounterattack, ...fought })
  return true
}

/** Fights a battle, and returns its result; undefined if the attacker has no units for any kind. */
function fight(
  step: Step,
  { attacker, defender, war }: { attacker: Nation; defender: Nation; war: War | null },
  random: Random,
  at: number,
) {
  const kind = chooseKind(step.world, attacker, random)
  if (!kind) return undefined
  const own = strength(step.world, attacker, kind)
  const theirs = Math.max(strength(step.world, defender, kind), own * 0.05)
  const margin = Math.log(own / (theirs * (kind.isSiege ? 1.25 : 1.06))) + random.normal() * 0.45
  const victor = margin > 0.12 ? 'attacker' : margin < -0.12 ? 'defender' : 'draw'
  // Ticks have a battle every few seconds, so these are smaller.
  const scale = step.isLive ? 0.45 : 1
  const rates = { attacker: [0.05, 0.11, 0.075], defender: [0.11, 0.05, 0.075] }
  const place = victor === 'attacker' ? 0 : victor === 'defender' ? 1 : 2
  const fate = (side: 'attacker' | 'defender', odds: number) =>
    ((rates[side][place] ?? 0.07) * random.range(0.6, 1.5) * clamp(odds, 0.35, 1.25) * scale) / 1.6
  const fallen = {
    attacker: lose(step, attacker, kind, fate('attacker', theirs / own), random),
    defender: lose(step, defender, kind, fate('defender', own / theirs), random),
  }
  const ruins = victor === 'attacker' ? random.range(0.4, 3) : victor === 'draw' ? random.range(0, 0.8) : 0
  const infrastructure = cents(
    ruins * Math.sqrt(defender.cities) * (kind.domain === 'air' ? 2.2 : kind.isSiege ? 2.6 : 1),
  )
  defender.score = cents(Math.max(1, defender.score - infrastructure * 0.12))
  markDirty(step, defender, dirtyPart.score)
  const losses = { attacker: fallen.attacker.losses, defender: fallen.defender.losses }
  const battle = {
    id: step.nextId('b'),
    war_id: war?.id ?? null,
    ...(kind.key ? { kind: kind.key } : {}),
    fought_at: timestamp(at),
    attacker_nation_id: attacker.id,
    defender_nation_id: defender.id,
    ...callHelpers(step, attacker, defender),
  }
  const result = { victor, infrastructure_destroyed: infrastructure } as const
  const worth = fallen.attacker.worth + fallen.defender.worth
  const fought: FoughtBattle | null = war && {
    war,
    attacker,
    defender,
    battleKind: kind,
    victor,
    worth,
    losses,
  }
  if (fought && kind.isSiege) {
    put(step, 'battle', at, { ...battle, status: 'active', started_at: timestamp(at), losses })
    const hours = step.isLive ? random.range(0.02, 0.2) : random.range(4, 48)
    const endsAt = at + Math.round(hours * hourSeconds)
    fought.war.sieges.push({ battleId: battle.id, endsAt, result, fought })
  } else {
    put(step, 'battle', at, { ...battle, losses, ...result })
    if (fought) step.occurrences.push({ kind: 'battle', at, ...fought })
  }
  return { victor, margin, fallen, scale } as const
}

const helpChance = 0.12

/** Nations of its alliance that help a side. */
function callHelpers(step: Step, attacker: Nation, defender: Nation) {
  if (attacker.alliance === defender.alliance) return {}
  const random = step.random('helpers')
  const helpersOf = ({ alliance }: Nation) => {
    if (!alliance || !random.chance(helpChance)) return []
    const able = alliance.members.filter(
      nation => nation !== attacker && nation !== defender && nation.status === 'active',
    )
    return random.sample(able, random.integer(1, 3)).map(({ id }) => id)
  }
  const [ofAttacker, ofDefender] = [helpersOf(attacker), helpersOf(defender)]
  return {
    ...(ofAttacker.length > 0 && { attacker_helper_nation_ids: ofAttacker }),
    ...(ofDefender.length > 0 && { defender_helper_nation_ids: ofDefender }),
  }
}

function record(
  war: War,
  of: {
    isCounterattack: boolean
    victor: 'attacker' | 'defender' | 'draw'
    margin: number
    fallen: { attacker: { worth: number }; defender: { worth: number } }
    scale: number
  },
) {
  const sign = of.victor === 'draw' ? 0 : (of.victor === 'attacker') === !of.isCounterattack ? 1 : -1
  war.momentum += sign * clamp(0.6 + Math.abs(of.margin) * 0.5, 0.6, 1.4) * of.scale
  war.battles++
  if (war.conflict) war.conflict.battles++
  const [first, second] = of.isCounterattack
    ? [of.fallen.defender, of.fallen.attacker]
    : [of.fallen.attacker, of.fallen.defender]
  war.lost.attacker += first.worth
  war.lost.defender += second.worth
}

/** Units count fully in their own domain, and partly in others. */
const share = (unit: Unit, kind: BattleKind) => {
  if (unit.domain === 'covert' || unit.domain === 'strategic') return 0
  if (unit.domain === kind.domain) return 1
  if (kind.domain === 'air' && unit.domain === 'land') return 0.25
  return unit.domain === 'air' ? 0.35 : 0
}

function strength({ vocabulary, forces }: WorldState, nation: Nation, kind: BattleKind): number {
  let sum = 0
  for (const unit of vocabulary.fieldUnits) {
    sum += (forces.of(nation, unit) / unit.perPoint) * share(unit, kind)
  }
  return Math.max(1, sum * (0.3 + nation.readiness / 100))
}

/** A kind of battle for which the attacker has units. */
function chooseKind(
  { vocabulary, forces }: WorldState,
  attacker: Nation,
  random: Random,
): BattleKind | undefined {
  const able = vocabulary.battleKinds.filter(kind =>
    vocabulary.fieldUnits.some(
      unit =>
        unit.domain === kind.domain &&
        unit.showsInLosses &&
        forces.of(attacker, unit) >= Math.max(1, unit.perPoint * attacker.score * 0.08),
    ),
  )
  // Land battles are the most frequent.
  const ground = able.filter(kind => kind.domain === 'land' && !kind.isSiege)
  if (ground.length > 0 && random.chance(0.4)) return random.pick(ground)
  return able.length > 0 ? random.pick(able) : undefined
}

/** Deducts losses, at most the stock, and replaces some of them from the reserves. */
function lose(step: Step, nation: Nation, kind: BattleKind, rate: number, random: Random) {
  const { forces, reserves } = step.world
  const losses: Record<string, number> = {}
  let worth = 0
  for (const unit of step.world.vocabulary.fieldUnits) {
    const weight = share(unit, kind)
    if (!unit.showsInLosses || weight === 0) continue
    const had = forces.of(nation, unit)
    const expected = had * rate * weight * random.range(0.7, 1.3)
    const lost = Math.min(had, Math.floor(expected) + (random.chance(expected % 1) ? 1 : 0))
    if (lost === 0) continue
    losses[unit.key] = lost
    worth += lost / unit.perPoint
    const calledUp = Math.min(reserves.of(nation, unit), Math.floor(lost * 0.3))
    forces.add(nation, unit, calledUp - lost)
    reserves.add(nation, unit, -calledUp)
  }
  const worn = random.range(0.8, 3) * (step.isLive ? 0.3 : 1)
  nation.readiness = Math.round(clamp(nation.readiness - worn, 5, 100) * 10) / 10
  nation.weariness = Math.min(100, nation.weariness + (random.chance(0.4) ? 1 : 0))
  markDirty(step, nation, dirtyPart.military | dirtyPart.weariness)
  return { losses, worth }
}
