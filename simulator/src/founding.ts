import { makeAlliance, tellAlliance } from './alliances.ts'
import { dayMs, hourMs, secondMs, written } from './calendar.ts'
import { tellEarlierEras } from './eras.ts'
import type { Fact } from './fact.ts'
import { marketRows, trade } from './market.ts'
import { join } from './membership.ts'
import { families } from './names/families.ts'
import { makeNation, nationRow } from './nation.ts'
import type { Random } from './random.ts'
import type { Alliance, Nation } from './state.ts'
import { put, type Step } from './step.ts'
import { drawTreaty } from './treaties.ts'

const batchFacts = 5000
const ageDays = 410
const memberShare = 0.745

export const allianceCount = (nations: number) => {
  if (nations < 4) return Math.min(nations, 1)
  return Math.max(3, Math.round(0.8 * nations ** 0.6))
}

/** The world as it is when its records begin, in portions of facts. */
export function* foundWorld(step: Step, nations: number): Generator<Fact[]> {
  const { world } = step
  const places = step.random('alliances')
  const made = allianceCount(nations)
  for (let index = 0; index < made; index++) {
    const age = index < 3 ? ageDays + 12 : places.range(25, ageDays)
    const foundedAt = seconds(step.from - age * dayMs)
    const alliance = makeAlliance(world, places, {
      id: step.nextId('a'),
      family: places.integer(0, families.length - 1),
      foundedAt,
    })
    world.alliances.push(alliance)
    tellAlliance(step, alliance, places)
    yield* portion(step)
  }
  world.era = tellEarlierEras(step, step.random('eras'))
  const wanted = Math.min(2000, Math.round(world.alliances.length * 1.3))
  const diplomacy = step.random('treaties')
  for (let tries = 0; tries < wanted * 6 && world.treaties.length < wanted; tries++) {
    drawTreaty(step, diplomacy, seconds(step.from - diplomacy.range(1, 20) * dayMs))
  }
  yield* settleNations(step, nations)
  openTrade(step)
  yield step.facts.splice(0)
}

const seconds = (ms: number) => Math.floor(ms / secondMs) * secondMs

function* portion(step: Step): Generator<Fact[]> {
  // Room for what one thing may add: a batch never exceeds its bound.
  if (step.facts.length >= batchFacts - 4) yield step.facts.splice(0)
}

function* settleNations(step: Step, nations: number): Generator<Fact[]> {
  const { world } = step
  const random = step.random('nations')
  const looks = step.random('looks')
  const drawAlliance = drawerOf(world.alliances, step.random('memberships'))
  const spacing = Math.max(1, Math.floor(nations / Math.max(1, world.alliances.length)))
  for (let index = 0; index < nations; index++) {
    const age = (1 - index / nations) ** 0.8
    const foundedAt = seconds(step.from - age * (ageDays - 2) * dayMs - random.range(0, 2) * dayMs)
    const nation = makeNation(world, random, {
      id: step.nextId('n'),
      player: step.nextId('p'),
      foundedAt,
      age,
    })
    setStatus(step, nation, random)
    world.nations.push(nation)
    put(step, 'nation', nationRow(world, nation, looks), foundedAt)
    const leads = index % spacing === 0 ? world.alliances[index / spacing] : undefined
    enrol(step, nation, leads, drawAlliance, random)
    yield* portion(step)
  }
}

function setStatus(step: Step, nation: Nation, random: Random) {
  const days = (step.from - nation.foundedAt) / dayMs
  const draw = random.unit()
  if (days < 7) nation.status = 'protected'
  else if (draw < 0.02) nation.status = 'vacation'
  else if (draw < 0.06) nation.status = 'inactive'
  nation.statusSince =
    nation.status === 'protected' ? nation.foundedAt : step.from - random.integer(0, 9) * dayMs
}

/** Alliances by size in a heavy tail: few large, many small. */
function drawerOf(alliances: readonly Alliance[], random: Random): () => Alliance | undefined {
  let total = 0
  const sums = alliances.map((_, index) => {
    total += (1 / (index + 3)) * Math.exp(random.normal() * 0.5)
    return total
  })
  return () => {
    const drawn = random.unit() * total
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < drawn) low = middle + 1
      else high = middle
    }
    return alliances[low]
  }
}

function enrol(
  step: Step,
  nation: Nation,
  leads: Alliance | undefined,
  drawAlliance: () => Alliance | undefined,
  random: Random,
) {
  const { leaderRank, officerRank, memberRank, recruitRank } = step.world.vocabulary
  if (!leads && !random.chance(memberShare)) return apply(step, nation, drawAlliance, random)
  const alliance = leads ?? drawAlliance()
  if (!alliance) return
  const since = Math.max(nation.foundedAt, alliance.foundedAt)
  const joinedAt = leads ? since : seconds(since + random.unit() ** 2 * (step.from - since))
  const place = alliance.members.length
  const rank = leads
    ? leaderRank
    : officerRank && place % 8 === 1
      ? officerRank
      : step.from - joinedAt < 12 * dayMs
        ? recruitRank
        : memberRank
  if (leads) nation.status = 'active'
  const draw = random.unit()
  const canViewTreasury =
    rank.tier === 'member' && draw < 0.05 ? true : rank.tier === 'officer' && draw < 0.06 ? false : undefined
  join(step, nation, alliance, {
    rank,
    atMs: joinedAt,
    ...(canViewTreasury === undefined ? {} : { canViewTreasury }),
  })
}

function apply(step: Step, nation: Nation, drawAlliance: () => Alliance | undefined, random: Random) {
  if (nation.status !== 'active' || !random.chance(0.06)) return
  const alliance = drawAlliance()
  if (!alliance) return
  nation.appliesTo = alliance
  nation.movedAt = step.from
  const appliedAt = seconds(step.from - random.range(1, 60) * hourMs)
  const application = { nation_id: nation.id, alliance_id: alliance.id, applied_at: written(appliedAt) }
  put(step, 'alliance_application', application, appliedAt)
}

function openTrade(step: Step) {
  const { market, vocabulary } = step.world
  trade(market, step.random('market'), { from: step.from - dayMs, until: step.from, warShare: 0 })
  for (const row of marketRows(market, vocabulary.profile.currency.key, step.from)) {
    put(step, 'market_price', row, step.from)
  }
}
