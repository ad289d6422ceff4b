import { daySeconds } from './calendar.ts'
import { leave, withdraw } from './membership.ts'
import { leaderName } from './names/name-book.ts'
import { addCities, makeNation, nationRow, statusOf } from './nation.ts'
import type { Random } from './random.ts'
import type { Nation, NationStatus } from './state.ts'
import { put, randomMoment, remove, type Step } from './step.ts'
import { endPactsOf } from './treaties.ts'

const protectedForDays = 7
const idleForDays = 10
/** Nations are not deleted below this number. */
const nationsMin = 10
/** Shares of all nations per day. */
const rates = { founded: 0.0012, renamed: 0.0003, succeeded: 0.0004, away: 0.0012, idle: 0.0014 }

/** Founds, renames and deletes nations, and changes their leaders and statuses. */
export function updateNations(step: Step) {
  const { world, days, isLive } = step
  const random = step.random('lives')
  for (
    let left = random.occurrences(world.nations.length * rates.founded * days * (isLive ? 0.3 : 1));
    left > 0;
    left--
  ) {
    found(step, random)
  }
  if (isLive) {
    if (random.chance(0.01)) rename(step, random.pick(world.nations), random)
    return
  }
  const gone = new Set<Nation>()
  for (const nation of world.nations) {
    if (updateStatus(step, nation, random) === 'gone') {
      gone.add(nation)
      continue
    }
    if (random.chance(rates.renamed)) rename(step, nation, random)
    if (random.chance(rates.succeeded)) {
      nation.leader = leaderName(random, nation.family)
      put(step, 'nation', randomMoment(step, random), { id: nation.id, leader_name: nation.leader })
    }
  }
  if (gone.size > 0) world.nations = world.nations.filter(nation => !gone.has(nation))
}

function found(step: Step, random: Random) {
  const { world } = step
  const foundedAt = randomMoment(step, random)
  const id = step.nextId('n')
  const nation = makeNation(world, random, { id, foundedAt, age: 0 })
  nation.status = 'protected'
  world.nations.push(nation)
  put(step, 'nation', foundedAt, nationRow(world, nation, { foundedAt, random }))
  step.occurrences.push({ kind: 'nation_founded', at: foundedAt, nation })
}

function rename(step: Step, nation: Nation, random: Random) {
  const { profile } = step.world.vocabulary
  const at = randomMoment(step, random)
  const oldName = nation.name
  nation.name = step.world.names.nation(
    random,
    nation.family,
    profile.governments[nation.government]?.key ?? '',
  )
  put(step, 'nation', at, { id: nation.id, nation_name: nation.name })
  step.occurrences.push({ kind: 'nation_renamed', at, nation, oldName })
}

function updateStatus(step: Step, nation: Nation, random: Random): 'gone' | 'here' {
  const daysSo = (step.until - nation.statusSince) / daySeconds
  const isBusy = nation.offensiveWars + nation.defensiveWars > 0
  switch (nation.status) {
    case 'protected':
      if (daysSo > protectedForDays) setStatus(step, nation, 'active', random)
      break
    case 'active':
      if (isBusy) break
      if (random.chance(rates.away)) setStatus(step, nation, 'vacation', random)
      else if (random.chance(rates.idle)) setStatus(step, nation, 'inactive', random)
      break
    case 'vacation':
      if (random.chance(0.07)) setStatus(step, nation, 'active', random)
      break
    case 'inactive':
      if (random.chance(0.03)) setStatus(step, nation, 'active', random)
      else if (
        daysSo > idleForDays &&
        !isBusy &&
        step.world.nations.length > nationsMin &&
        random.chance(0.12)
      )
        return retire(step, nation, random)
  }
  return 'here'
}

function setStatus(step: Step, nation: Nation, status: NationStatus, random: Random) {
  nation.status = status
  nation.statusSince = step.until
  put(step, 'nation', randomMoment(step, random), { id: nation.id, ...statusOf(step.world, nation) })
}

/** A nation leaves its alliance first and is deleted on a later day, so that no batch refers to a row that it deletes. */
function retire(step: Step, nation: Nation, random: Random): 'gone' | 'here' {
  const at = randomMoment(step, random)
  if (nation.alliance) {
    if (nation.rank?.tier !== 'leader') leave(step, nation, at)
    return 'here'
  }
  if (nation.appliesTo) {
    withdraw(step, nation, at)
    return 'here'
  }
  remove(step, 'nation', nation.id, at)
  endPactsOf(step, nation, at)
  addCities(step.world, nation, -nation.cities)
  return 'gone'
}
