import { timestamp } from './calendar.ts'
import type { Random } from './random.ts'
import type { Alliance, Conflict, ConflictSide, Nation } from './state.ts'
import { put, type Step } from './step.ts'
import { endTreaty } from './treaties.ts'
import { arePledged, declareWar, isFit } from './wars.ts'

/** The sides as facts contain them. */
export const sidesOf = (conflict: Conflict) =>
  conflict.sides.map(side => ({
    name: side.name,
    alliances: side.alliances.map(({ alliance, joinedAt, leftAt }) => ({
      alliance_id: alliance.id,
      joined_at: timestamp(joinedAt),
      left_at: leftAt === null ? null : timestamp(leftAt),
    })),
  }))

export const presentAlliances = (side: ConflictSide) => side.alliances.filter(({ leftAt }) => leftAt === null)
const isIn = (conflict: Conflict, alliance: Alliance) =>
  conflict.sides.some(side => side.alliances.some(entry => entry.alliance === alliance))

export const membersOf = (side: ConflictSide): Nation[] =>
  presentAlliances(side).flatMap(({ alliance }) => alliance.members)

/** Allies of one side join; allies of both stay out. */
export function wantsToJoin(
  step: Step,
  conflict: Conflict,
  side: ConflictSide,
  enemies: ConflictSide,
  alliance: Alliance,
  random: Random,
): boolean {
  if (alliance.isDissolving || alliance.members.length < 2 || isIn(conflict, alliance)) return false
  const principal = side.alliances[0]?.alliance
  if (!principal) return false
  const isSworn = step.world.treaties.some(
    treaty =>
      treaty.isDefensive && treaty.alliances.includes(alliance) && treaty.alliances.includes(principal),
  )
  const isTorn = presentAlliances(enemies).some(enemy => arePledged(step.world, enemy.alliance, alliance))
  if (isTorn && (!isSworn || step.isLive)) return false
  const eagerness = isSworn ? 0.3 : alliance.bloc === principal.bloc ? 0.03 : 0.004
  return random.chance(eagerness * step.days)
}

/** Ends treaties with the other side, except in ticks. */
export function joinSide(
  step: Step,
  conflict: Conflict,
  side: ConflictSide,
  enemies: ConflictSide,
  alliance: Alliance,
  at: number,
) {
  side.alliances.push({ alliance, joinedAt: at, leftAt: null })
  for (const treaty of step.world.treaties.filter(
    ({ alliances }) =>
      alliances.includes(alliance) &&
      presentAlliances(enemies).some(enemy => alliances.includes(enemy.alliance)),
  )) {
    if (!step.isLive) endTreaty(step, treaty, at)
  }
  step.occurrences.push({ kind: 'conflict_joined', at, conflict, alliance, side: side.name })
}

/** Assigns existing wars between the sides to the conflict. */
export function adoptWars(step: Step, conflict: Conflict, at: number) {
  const on = (side: ConflictSide, alliance: Alliance | null) =>
    alliance !== null && presentAlliances(side).some(entry => entry.alliance === alliance)
  const [one, other] = conflict.sides
  for (const war of step.world.wars) {
    const { attackerAlliance, defenderAlliance } = war
    const isAcross =
      (on(one, attackerAlliance) && on(other, defenderAlliance)) ||
      (on(other, attackerAlliance) && on(one, defenderAlliance))
    if (war.conflict !== null || !isAcross) continue
    war.conflict = conflict
    conflict.warsTotal++
    put(step, 'war', at, { id: war.id, conflict_id: conflict.id })
  }
}

/** Declares up to `count` wars between the sides. */
export function declareSideWars(step: Step, conflict: Conflict, random: Random, count: number) {
  const [one, other] = conflict.sides.map(membersOf)
  if (!one?.length || !other?.length) return
  for (let declared = 0; declared < count; declared++) {
    for (let attempt = 0; attempt < 40; attempt++) {
      const [from, to] = random.chance(0.5) ? [one, other] : [other, one]
      const attacker = random.pick(from)
      const defender = random.pick(to)
      if (!isFit(step.world, attacker, defender)) continue
      declareWar(step, random, { attacker, defender, conflict })
      break
    }
  }
}
