import { endSieges } from './battles.ts'
import { timestamp } from './calendar.ts'
import { cents } from './nation.ts'
import { Random } from './random.ts'
import { reasonFor } from './reasons.ts'
import { dirtyPart, markDirty } from './report.ts'
import type { Alliance, Conflict, Nation, War, WorldState } from './state.ts'
import { put, randomMoment, type Step, type WarOutcome } from './step.ts'

const sideWarsMax = 3
const warsPerNationDay = 0.0085
/** Active wars in the last days of a history, for any size of the world. */
const closingWars = 12
export const closingDays = 3

/** Of two nations or alliances, in any order. */
export const pairKey = (one: { id: string }, other: { id: string }) =>
  one.id < other.id ? `${one.id}|${other.id}` : `${other.id}|${one.id}`

export const arePledged = ({ treaties }: WorldState, one: Alliance, other: Alliance) =>
  treaties.some(({ alliances: [a, b] }) => (a === one && b === other) || (a === other && b === one))

const mayAttack = (nation: Nation) =>
  nation.status === 'active' && nation.offensiveWars < sideWarsMax && nation.readiness > 25

const mayBeAttacked = (nation: Nation) =>
  (nation.status === 'active' || nation.status === 'inactive') && nation.defensiveWars < sideWarsMax

/** Declares wars that belong to no conflict. */
export function declareWars(step: Step) {
  const { world, days, daysLeft, isLive } = step
  const random = step.random('wars')
  const { nations } = world
  if (nations.length < 2) return
  let count = random.occurrences(nations.length * warsPerNationDay * days)
  // Ticks keep as many active wars as a day of history.
  const usual = isLive ? Math.min(200, Math.round(nations.length * 0.06)) : 0
  const least = Math.min(Math.max(closingWars, usual), Math.floor(nations.length / 4))
  if (daysLeft < closingDays || isLive)
    count = Math.max(count, Math.min(isLive ? 2 : least, least - world.wars.length))
  for (let declared = 0; declared < count; declared++) {
    const pair = drawPair(world, random)
    if (pair) declareWar(step, random, { ...pair, conflict: null })
  }
}

function drawPair(world: WorldState, random: Random): { attacker: Nation; defender: Nation } | undefined {
  const { nations } = world
  for (let attempt = 0; attempt < 24; attempt++) {
    const attacker = random.pick(nations)
    if (!mayAttack(attacker)) continue
    for (let look = 0; look < 12; look++) {
      const defender = random.pick(nations)
      if (isFit(world, attacker, defender)) return { attacker, defender }
    }
  }
  return undefined
}

export function isFit(world: WorldState, attacker: Nation, defender: Nation): boolean {
  if (attacker === defender || !mayAttack(attacker) || !mayBeAttacked(defender)) return false
  const ratio = defender.score / Math.max(1, attacker.score)
  if (ratio < 0.55 || ratio > 1.6) return false
  const [own, theirs] = [attacker.alliance, defender.alliance]
  if (own && theirs && (own === theirs || arePledged(world, own, theirs))) return false
  return !world.wars.some(
    war =>
      (war.attacker === attacker && war.defender === defender) ||
      (war.attacker === defender && war.defender === attacker),
  )
}

export function declareWar(
  step: Step,
  random: Random,
  { attacker, defender, conflict }: { attacker: Nation; defender: Nation; conflict: Conflict | null },
): War {
  const { world, isLive } = step
  const type = world.vocabulary.profile.war_types.length
    ? random.pick(world.vocabulary.profile.war_types).key
    : null
  const declaredAt = randomMoment(step, random)
  const war: War = {
    id: step.nextId('w'),
    attacker,
    defender,
    attackerAlliance: attacker.alliance,
    defenderAlliance: defender.alliance,
    type,
    declaredAt,
    reason: reasonFor(world, random, { attacker, defender, type, conflict }),
    isOfTick: isLive,
    participants: [],
    conflict,
    momentum: 0,
    decidedAt: random.range(2.2, 4.6),
    tiresAt: world.elapsed + random.integer(4000, 11_000),
    battles: 0,
    sieges: [],
    lost: { attacker: 0, defender: 0 },
  }
  put(step, 'war', declaredAt, {
    id: war.id,
    ...(type ? { type } : {}),
    ...partiesOf(step, war),
    status: 'active',
    reason: war.reason,
    attacker: belligerent(attacker, isLive),
    defender: belligerent(defender, isLive),
    declared_at: timestamp(declaredAt),
    ...followedWar(world, war),
    ...(conflict ? { conflict_id: conflict.id } : {}),
    era_id: world.era.id,
  })
  enlist(world, war)
  step.occurrences.push({ kind: 'war_declared', at: declaredAt, war })
  return war
}

/** Some wars of a conflict are wars of the alliances, led by the two nations. In some others neither attacked. */
function partiesOf(step: Step, { conflict, attackerAlliance, defenderAlliance }: War) {
  const random = step.random('parties')
  const [isOfAlliances, isMutual] = [random.chance(0.3), random.chance(0.12)]
  if (isOfAlliances && conflict && attackerAlliance && defenderAlliance)
    return { attacker_type: 'alliance', defender_type: 'alliance' } as const
  return isMutual && !conflict ? { is_mutual: true } : {}
}

/** A war continues the last one of its nations. */
function followedWar({ endedWars }: WorldState, { attacker, defender }: War) {
  const id = endedWars.get(pairKey(attacker, defender))
  return id === undefined ? {} : { follows_war_id: id }
}

/** In ticks the receiver has newer names and memberships: see Step. */
const belligerent = (nation: Nation, isLive: boolean) =>
  isLive
    ? { nation_id: nation.id }
    : {
        nation_id: nation.id,
        nation_name: nation.name,
        alliance_id: nation.alliance?.id ?? null,
        alliance_name: nation.alliance?.name ?? null,
      }

function enlist(world: WorldState, war: War) {
  world.wars.push(war)
  war.attacker.offensiveWars++
  war.defender.defensiveWars++
  const { attackerAlliance: own, defenderAlliance: theirs, conflict } = war
  if (own) own.warsActive++
  if (theirs) theirs.warsActive++
  if (conflict) conflict.warsTotal++
  if (!own || !theirs) return
  const key = pairKey(own, theirs)
  world.tensions.set(key, (world.tensions.get(key) ?? 0) + 1)
}

/** Ends decided and long wars, before the step’s battles, so that no battle is fought after the end. */
export function endWars(step: Step) {
  const { world } = step
  const random = step.random('peace')
  for (const war of [...world.wars]) {
    if (war.momentum >= war.decidedAt) endWar(step, war, 'attacker_victory', randomMoment(step, random))
    else if (-war.momentum >= war.decidedAt) endWar(step, war, 'defender_victory', randomMoment(step, random))
    else if (war.tiresAt <= world.elapsed)
      endWar(step, war, tiredOutcome(war, random), randomMoment(step, random))
  }
}

export function tiredOutcome(war: War, random: Random): WarOutcome {
  if (Math.abs(war.momentum) > war.decidedAt * 0.6 && random.chance(0.45)) {
    return war.momentum > 0 ? 'attacker_victory' : 'defender_victory'
  }
  return random.chance(0.6) ? 'peace' : 'stalemate'
}

export function endWar(step: Step, war: War, outcome: WarOutcome, endsAt: number) {
  const { world } = step
  const at = Math.max(endsAt, war.declaredAt)
  world.wars.splice(world.wars.indexOf(war), 1)
  const { attacker, defender, attackerAlliance, defenderAlliance } = war
  attacker.offensiveWars--
  defender.defensiveWars--
  if (attackerAlliance) attackerAlliance.warsActive--
  if (defenderAlliance) defenderAlliance.warsActive--
  if (outcome === 'attacker_victory') plunder(step, attacker, defender)
  if (outcome === 'defender_victory') plunder(step, defender, attacker)
  world.endedWars.set(pairKey(attacker, defender), war.id)
  endSieges(step, war, at)
  put(step, 'war', at, {
    id: war.id,
    status: 'ended',
    ended_at: timestamp(at),
    ...outcomeOf(world, war, outcome),
  })
  step.occurrences.push({ kind: 'war_ended', at, war, outcome })
}

/** Some have an outcome of the game's own. Drawn by the war, so that no other draw changes. */
function outcomeOf({ seed, vocabulary }: WorldState, { id }: War, outcome: WarOutcome) {
  const own = vocabulary.profile.war_outcomes?.filter(({ is }) => is === outcome) ?? []
  const random = new Random(seed, id, 'outcome')
  return own.length > 0 && random.chance(0.5) ? { game_outcome: random.pick(own).key } : { outcome }
}

/** The victor takes a tenth of the money, some of the score, and prestige. */
function plunder(step: Step, victor: Nation, loser: Nation) {
  const credits = Math.floor(loser.credits * 0.1)
  loser.credits -= credits
  victor.credits += credits
  const { stocks, vocabulary } = step.world
  for (const good of vocabulary.goods) {
    const taken = Math.floor(stocks.of(loser, good) * 0.08)
    stocks.add(loser, good, -taken)
    stocks.add(victor, good, taken)
  }
  loser.score = cents(loser.score * 0.985)
  victor.score = cents(victor.score * 1.006)
  victor.prestige += 25
  loser.prestige = Math.max(0, loser.prestige - 10)
  const changed = dirtyPart.economy | dirtyPart.score | dirtyPart.prestige
  markDirty(step, victor, changed)
  markDirty(step, loser, changed)
}
