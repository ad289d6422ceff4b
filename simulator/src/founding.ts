import { makeAlliance, reportAlliance } from './alliances.ts'
import { daySeconds, hourSeconds, timestamp } from './calendar.ts'
import { reportEarlierEras } from './eras.ts'
import type { Fact } from './fact.ts'
import { marketRows, trade } from './market.ts'
import { join } from './membership.ts'
import { families } from './names/families.ts'
import { makeNation, nationRow } from './nation.ts'
import type { Random } from './random.ts'
import { batchFactsMax } from './report.ts'
import type { Alliance, Nation } from './state.ts'
import { put, type Step } from './step.ts'
import { drawTreaty } from './treaties.ts'

const ageDays = 410
const memberShare = 0.745

const allianceCount = (nations: number) => {
  if (nations < 4) return Math.min(nations, 1)
  return Math.max(3, Math.round(0.8 * nations ** 0.6))
}

/** The initial world, in batches of facts. */
export function* foundWorld(step: Step, nations: number): Generator<Fact[]> {
  const { world } = step
  const places = step.random('alliances')
  const made = allianceCount(nations)
  for (let index = 0; index < made; index++) {
    const age = index < 3 ? ageDays + 12 : places.range(25, ageDays)
    const foundedAt = Math.floor(step.from - age * daySeconds)
    const alliance = makeAlliance(world, places, {
      id: step.nextId('a'),
      family: places.integer(0, families.length - 1),
      foundedAt,
    })
    world.alliances.push(alliance)
    reportAlliance(step, alliance, places)
    yield* takeBatches(step)
  }
  world.era = reportEarlierEras(step, step.random('eras'))
  const wanted = Math.min(2000, Math.round(world.alliances.length * 1.3))
  const diplomacy = step.random('treaties')
  for (let tries = 0; tries < wanted * 6 && world.treaties.length < wanted; tries++) {
    drawTreaty(step, diplomacy, Math.floor(step.from - diplomacy.range(1, 20) * daySeconds))
  }
  yield* foundNations(step, nations)
  openTrade(step)
  yield step.facts.splice(0)
}

function* takeBatches(step: Step): Generator<Fact[]> {
  // Reserves room for the facts of one row, so that a batch never exceeds its limit.
  if (step.facts.length >= batchFactsMax - 4) yield step.facts.splice(0)
}

function* foundNations(step: Step, nations: number): Generator<Fact[]> {
  const { world } = step
  const random = step.random('nations')
  const looks = step.random('looks')
  const drawAlliance = drawerOf(world.alliances, step.random('memberships'))
  const spacing = Math.max(1, Math.floor(nations / Math.max(1, world.alliances.length)))
  for (let index = 0; index < nations; index++) {
    const age = (1 - index / nations) ** 0.8
    const foundedAt = Math.floor(
      step.from - age * (ageDays - 2) * daySeconds - random.range(0, 2) * daySeconds,
    )
    const nation = makeNation(world, random, {
      id: step.nextId('n'),
      foundedAt,
      age,
    })
    setStatus(step, nation, foundedAt, random)
    world.nations.push(nation)
    put(step, 'nation', foundedAt, nationRow(world, nation, { foundedAt, random: looks }))
    const leads = index % spacing === 0 ? world.alliances[index / spacing] : undefined
    enrol(step, nation, { leads, foundedAt, drawAlliance, random })
    yield* takeBatches(step)
  }
}

function setStatus(step: Step, nation: Nation, foundedAt: number, random: Random) {
  const days = (step.from - foundedAt) / daySeconds
  const draw = random.unit()
  if (days < 7) nation.status = 'protected'
  else if (draw < 0.02) nation.status = 'vacation'
  else if (draw < 0.06) nation.status = 'inactive'
  nation.statusSince =
    nation.status === 'protected' ? foundedAt : step.from - random.integer(0, 9) * daySeconds
}

/** Draws alliances with a heavy-tailed size: few large, many small. */
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
  {
    leads,
    foundedAt,
    drawAlliance,
    random,
  }: {
    leads: Alliance | undefined
    foundedAt: number
    drawAlliance: () => Alliance | undefined
    random: Random
  },
) {
  const { leaderRank, officerRank, memberRank, recruitRank } = step.world.vocabulary
  if (!leads && !random.chance(memberShare)) return apply(step, nation, drawAlliance, random)
  const alliance = leads ?? drawAlliance()
  if (!alliance) return
  const since = Math.max(foundedAt, alliance.foundedAt)
  const joinedAt = leads ? since : Math.floor(since + random.unit() ** 2 * (step.from - since))
  const place = alliance.members.length
  const rank = leads
    ? leaderRank
    : officerRank && place % 8 === 1
      ? officerRank
      : step.from - joinedAt < 12 * daySeconds
        ? recruitRank
        : memberRank
  if (leads) nation.status = 'active'
  const draw = random.unit()
  const canViewTreasury =
    rank.tier === 'member' && draw < 0.05 ? true : rank.tier === 'officer' && draw < 0.06 ? false : undefined
  join(step, nation, alliance, {
    rank,
    at: joinedAt,
    ...(canViewTreasury === undefined ? {} : { canViewTreasury }),
  })
}

function apply(step: Step, nation: Nation, drawAlliance: () => Alliance | undefined, random: Random) {
  if (nation.status !== 'active' || !random.chance(0.06)) return
  const alliance = drawAlliance()
  if (!alliance) return
  nation.appliesTo = alliance
  nation.movedAt = step.from
  const appliedAt = Math.floor(step.from - random.range(1, 60) * hourSeconds)
  const application = { nation_id: nation.id, alliance_id: alliance.id, applied_at: timestamp(appliedAt) }
  put(step, 'alliance_application', appliedAt, application)
}

function openTrade(step: Step) {
  const { market, vocabulary } = step.world
  trade(market, step.random('market'), { from: step.from - daySeconds, until: step.from, warShare: 0 })
  for (const row of marketRows(market, vocabulary.profile.currency.key, step.from)) {
    put(step, 'market_price', step.from, row)
  }
}
