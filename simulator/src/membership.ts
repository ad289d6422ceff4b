import { daySeconds, hourSeconds, timestamp } from './calendar.ts'
import type { Random } from './random.ts'
import { reportMembership } from './report.ts'
import type { Alliance, Nation } from './state.ts'
import { put, randomMoment, remove, type Step } from './step.ts'
import type { Rank } from './vocabulary.ts'

const recruitForDays = 12

/** `canViewTreasury` takes precedence over the rank. */
export function join(
  step: Step,
  nation: Nation,
  alliance: Alliance,
  as: { rank: Rank; at: number; canViewTreasury?: boolean },
) {
  nation.alliance = alliance
  nation.rank = as.rank
  nation.joinedAt = as.at
  nation.movedAt = step.until
  nation.seesTreasury = as.canViewTreasury ?? null
  alliance.members.push(nation)
  reportMembership(step, nation, as.at)
}

/** Not in ticks: see Step. */
export function leave(step: Step, nation: Nation, at: number) {
  const { alliance } = nation
  if (!alliance) return
  alliance.members.splice(alliance.members.indexOf(nation), 1)
  nation.alliance = null
  nation.rank = null
  nation.movedAt = step.until
  remove(step, 'alliance_member', nation.id, at)
  if (nation.assignedUntil === 0) return
  nation.assignedUntil = 0
  put(step, 'nation', at, { id: nation.id, assignments: [] })
}

/** Deletes an application. */
export function withdraw(step: Step, nation: Nation, at: number) {
  nation.appliesTo = null
  nation.movedAt = step.until
  remove(step, 'alliance_application', nation.id, at)
}

/** A random recruiting alliance, weighted by size. */
function inviting(step: Step, random: Random): Alliance | undefined {
  for (let attempt = 0; attempt < 8; attempt++) {
    const { alliance } = random.pick(step.world.nations)
    if (alliance?.recruiting && !alliance.isDissolving) return alliance
  }
  return undefined
}

/** Applications, admissions, departures and promotions. */
export function updateMemberships(step: Step) {
  const random = step.random('membership')
  const { world, isLive, days } = step
  const { nations } = world
  const visits = isLive
    ? [random.pick(nations), random.pick(nations)].filter(() => random.chance(0.3))
    : nations
  for (const nation of visits) {
    if (nation.status === 'vacation' || nation.status === 'inactive' || nation.movedAt > step.from) continue
    if (nation.alliance) updateMember(step, nation, nation.alliance, random, days)
    else if (isLive) {
      const alliance = nation.appliesTo ? undefined : inviting(step, random)
      const rank = world.vocabulary.recruitRank
      if (alliance && random.chance(0.3)) join(step, nation, alliance, { rank, at: step.until })
    } else apply(step, nation, random)
  }
  if (!isLive) for (const alliance of world.alliances) succeed(step, alliance, random)
}

function apply(step: Step, nation: Nation, random: Random) {
  const { recruitRank } = step.world.vocabulary
  const applied = nation.appliesTo
  if (applied) {
    if (random.chance(0.45)) return
    const at = randomMoment(step, random)
    withdraw(step, nation, at)
    if (!applied.isDissolving && random.chance(0.75)) join(step, nation, applied, { rank: recruitRank, at })
    return
  }
  if (!random.chance(0.012)) return
  const alliance = inviting(step, random)
  if (!alliance) return
  nation.appliesTo = alliance
  nation.movedAt = step.until
  const at = randomMoment(step, random)
  put(step, 'alliance_application', at, {
    nation_id: nation.id,
    alliance_id: alliance.id,
    applied_at: timestamp(at),
  })
}

/** Promotes a member, or lets it leave. */
function updateMember(step: Step, nation: Nation, alliance: Alliance, random: Random, days: number) {
  const { recruitRank, memberRank, officerRank } = step.world.vocabulary
  if (nation.assignedUntil > 0 && nation.assignedUntil < step.until) {
    nation.assignedUntil = 0
    put(step, 'nation', step.until, { id: nation.id, assignments: [] })
  }
  if (nation.rank === recruitRank && recruitRank !== memberRank) {
    if (step.until - nation.joinedAt > recruitForDays * daySeconds && random.chance(0.3)) {
      promote(step, nation, memberRank, randomMoment(step, random))
    }
    return
  }
  const draw = random.unit() / Math.max(days, 0.05)
  if (nation.rank === officerRank && draw < 0.003)
    return promote(step, nation, memberRank, randomMoment(step, random))
  if (nation.rank?.tier !== 'member') return
  if (draw < 0.004 && officersOf(alliance).length < alliance.members.length / 7 && officerRank) {
    promote(step, nation, officerRank, randomMoment(step, random))
  } else if (draw > 0.004 && draw < 0.0075 && !step.isLive && alliance.members.length > 2) {
    leave(step, nation, randomMoment(step, random))
  } else if (draw > 0.02 && draw < 0.035 && alliance.warsActive > 0) assign(step, nation, alliance, random)
}

const officersOf = (alliance: Alliance) => alliance.members.filter(member => member.rank?.tier === 'officer')

function promote(step: Step, nation: Nation, rank: Rank, at: number) {
  nation.rank = rank
  reportMembership(step, nation, Math.max(at, nation.joinedAt))
}

const notes: readonly [string, readonly string[]][] = [
  [
    'attack',
    [
      'Together with two others, not before Tuesday evening.',
      'Ships first, then ground.',
      'Keep them busy; no need to win.',
    ],
  ],
  [
    'defend',
    [
      'Hold the strait.',
      'Stand by with aircraft. Answer in the channel when ready.',
      'Two of ours are under attack there.',
    ],
  ],
  ['supply', ['Send what you can spare; the treasury repays it.', 'Priority, before your own production.']],
  ['scout', ['Numbers of their fleet, please. Quietly.', 'Look, do not touch.']],
]

function assign(step: Step, nation: Nation, alliance: Alliance, random: Random) {
  const war = step.world.wars.find(
    ({ attackerAlliance, defenderAlliance }) =>
      attackerAlliance === alliance || defenderAlliance === alliance,
  )
  if (!war) return
  const [enemy, friend] =
    war.attackerAlliance === alliance ? [war.defender, war.attacker] : [war.attacker, war.defender]
  const [kind, texts] = random.pick(notes)
  const dueAt = Math.floor((step.until + random.integer(20, 90) * hourSeconds) / hourSeconds) * hourSeconds
  nation.assignedUntil = dueAt
  const target = kind === 'defend' || kind === 'supply' ? friend : enemy
  const assignment = {
    alliance_id: alliance.id,
    kind,
    target_nation_id: target.id,
    note: random.pick(texts),
    due_at: timestamp(dueAt),
  }
  put(step, 'nation', randomMoment(step, random), { id: nation.id, assignments: [assignment] })
}

/** Every alliance has a leader, and from four members on an officer. */
function succeed(step: Step, alliance: Alliance, random: Random) {
  if (alliance.isDissolving || alliance.members.length === 0) return
  const { leaderRank, officerRank, memberRank } = step.world.vocabulary
  const fit = alliance.members.filter(({ status }) => status === 'active' || status === 'protected')
  const leaders = alliance.members.filter(member => member.rank?.tier === 'leader')
  const absent = leaders.find(leader => leader.status === 'inactive')
  const heir =
    fit.find(member => member.rank?.tier === 'officer') ?? fit.find(member => !leaders.includes(member))
  if (heir && (leaders.length === 0 || absent)) {
    const at = randomMoment(step, random)
    if (absent) {
      promote(step, absent, memberRank, at)
      step.occurrences.push({ kind: 'leader_changed', at, alliance, nation: heir, predecessor: absent })
    }
    promote(step, heir, leaderRank, at)
  }
  if (!officerRank || alliance.members.length < 4 || officersOf(alliance).length > 0) return
  const next = fit.find(member => member.rank?.tier === 'member')
  if (next) promote(step, next, officerRank, randomMoment(step, random))
}
