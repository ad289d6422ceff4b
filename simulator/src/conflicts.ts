import { daySeconds, timestamp } from './calendar.ts'
import {
  adoptWars,
  declareSideWars,
  joinSide,
  membersOf,
  presentAlliances,
  sidesOf,
  wantsToJoin,
} from './conflict-sides.ts'
import { conflictName } from './names/phrases.ts'
import type { Random } from './random.ts'
import type { Alliance, Conflict, ConflictSide, WorldState } from './state.ts'
import { put, randomMoment, type Step } from './step.ts'
import { arePledged, endWar, pairKey, tiredOutcome } from './wars.ts'

const sideAlliancesMax = 8
const liveConflictDays = 21
/** The shortest time that allies stay. */
const restlessAfterDays = 4

/** Days of a history on which global conflicts start and end. The last one is active at the end of history. */
export function conflictDays(days: number): { startsOn: number; endsOn: number }[] {
  if (days < 1) return []
  const length = Math.max(3, Math.round(days * 0.15))
  const gap = Math.max(2, Math.round(days * 0.09))
  const plan = [{ startsOn: days - Math.min(16, Math.max(1, Math.round(days * 0.18))), endsOn: Infinity }]
  for (let count = 0; count < 1 + Math.floor(days / 28); count++) {
    const endsOn = (plan[0]?.startsOn ?? 0) - gap
    if (endsOn - length < 2) break
    plan.unshift({ startsOn: endsOn - length, endsOn })
  }
  return plan
}

/** Starts, escalates and ends the global conflict. `dayOfHistory` is null in ticks, which decide at random. */
export function updateConflict(
  step: Step,
  plan: { startsOn: number; endsOn: number }[],
  dayOfHistory: number | null,
) {
  const { world, days } = step
  const random = step.random('conflicts')
  for (const [key, tension] of world.tensions) {
    if (tension < 0.2) world.tensions.delete(key)
    else world.tensions.set(key, tension * 0.97 ** days)
  }
  const { conflict } = world
  const isDue =
    dayOfHistory === null
      ? conflict !== null &&
        world.elapsed - conflict.begunAt > liveConflictDays * 1000 &&
        random.chance(0.1 * days)
      : plan.some(({ endsOn }) => endsOn === dayOfHistory)
  if (conflict && isDue) return endConflict(step, conflict, random)
  if (conflict) return escalateConflict(step, conflict, random)
  const isStart =
    dayOfHistory === null
      ? random.chance(0.12 * days)
      : plan.some(({ startsOn }) => startsOn === dayOfHistory)
  if (isStart) startConflict(step, random)
}

function startConflict(step: Step, random: Random) {
  const { world } = step
  const foes = chooseFoes(world, random)
  if (!foes) return
  const [one, other] = foes
  const spark = world.wars.find(
    war =>
      (war.attackerAlliance === one && war.defenderAlliance === other) ||
      (war.attackerAlliance === other && war.defenderAlliance === one),
  )
  const startedAt = randomMoment(step, random)
  const side = (alliance: Alliance): ConflictSide => ({
    name: `${alliance.name} and allies`,
    alliances: [{ alliance, joinedAt: startedAt, leftAt: null }],
  })
  const conflict: Conflict = {
    id: step.nextId('c'),
    name: world.names.once('conflict', () => conflictName(random, [one, other])),
    startedAt,
    begunAt: world.elapsed,
    sides: [side(one), side(other)],
    warsTotal: 0,
    battles: 0,
  }
  const cause = spark
    ? `${spark.attacker.name} of ${spark.attackerAlliance?.name ?? 'nowhere'} attacked ${spark.defender.name}; ${spark.defenderAlliance?.name ?? 'its friends'} answered with all it had.`
    : random.pick([
        `${one.name} refused to hand over the raiders that ${other.name} had named.`,
        `${other.name} closed its harbours to the ships of ${one.name}.`,
        `A leaked letter showed that ${one.name} had planned the war for weeks.`,
        `${one.name} and ${other.name} could not agree who had fired first, and so both went on.`,
      ])
  world.conflict = conflict
  world.lastFoes = foes
  put(step, 'conflict', startedAt, {
    id: conflict.id,
    name: conflict.name,
    status: 'active',
    cause,
    started_at: timestamp(startedAt),
    sides: sidesOf(conflict),
    era_id: world.era.id,
  })
  step.occurrences.push({ kind: 'conflict_started', at: startedAt, conflict, cause })
  adoptWars(step, conflict, startedAt)
  declareSideWars(step, conflict, random, random.integer(3, 5))
}

/** The two large alliances with the most wars between them, other than those of the last conflict. */
function chooseFoes(world: WorldState, random: Random): [Alliance, Alliance] | undefined {
  const large = world.alliances
    .filter(({ members, isDissolving }) => members.length > 1 && !isDissolving)
    .sort((one, other) => other.members.length - one.members.length)
    .slice(0, 9)
  const pairs: { foes: [Alliance, Alliance]; weight: number }[] = []
  for (const [index, one] of large.entries()) {
    for (const other of large.slice(index + 1)) {
      if (arePledged(world, one, other)) continue
      const tired = world.lastFoes.includes(one) || world.lastFoes.includes(other) ? 0.25 : 1
      const tension = 1 + (world.tensions.get(pairKey(one, other)) ?? 0)
      pairs.push({ foes: [one, other], weight: tension * Math.sqrt(other.members.length) * tired })
    }
  }
  pairs.sort((one, other) => other.weight - one.weight)
  return pairs.length > 0 ? random.pick(pairs.slice(0, 3)).foes : undefined
}

/** Allies join or leave, and the sides declare wars on each other. */
function escalateConflict(step: Step, conflict: Conflict, random: Random) {
  const { days } = step
  let isChanged = false
  for (const [index, side] of conflict.sides.entries()) {
    const enemies = conflict.sides[1 - index]
    if (!enemies) continue
    for (const alliance of step.world.alliances) {
      if (side.alliances.length >= sideAlliancesMax) break
      if (wantsToJoin(step, conflict, side, enemies, alliance, random)) {
        joinSide(step, conflict, side, enemies, alliance, randomMoment(step, random))
        isChanged = true
      }
    }
    for (const entry of presentAlliances(side).slice(1)) {
      if (step.until - entry.joinedAt < restlessAfterDays * daySeconds || !random.chance(0.025 * days))
        continue
      entry.leftAt = Math.max(entry.joinedAt, randomMoment(step, random))
      for (const war of step.world.wars.filter(
        ({ conflict: of, attackerAlliance, defenderAlliance }) =>
          of === conflict && (attackerAlliance === entry.alliance || defenderAlliance === entry.alliance),
      )) {
        endWar(step, war, 'peace', entry.leftAt)
      }
      step.occurrences.push({ kind: 'conflict_left', at: entry.leftAt, conflict, alliance: entry.alliance })
      isChanged = true
    }
  }
  if (isChanged) {
    put(step, 'conflict', step.until, { id: conflict.id, sides: sidesOf(conflict) })
    adoptWars(step, conflict, step.until)
  }
  const smaller = Math.min(...conflict.sides.map(side => membersOf(side).length))
  declareSideWars(step, conflict, random, random.occurrences(Math.min(40, 1 + smaller * 0.045) * days))
}

/** Ends all of its wars in peace. */
export function endConflict(step: Step, conflict: Conflict, random: Random) {
  const { world } = step
  const endedAt = Math.max(conflict.startedAt, randomMoment(step, random))
  for (const war of world.wars.filter(({ conflict: of }) => of === conflict)) {
    endWar(step, war, tiredOutcome(war, random), endedAt)
  }
  world.conflict = null
  put(step, 'conflict', endedAt, { id: conflict.id, status: 'ended', ended_at: timestamp(endedAt) })
  step.occurrences.push({ kind: 'conflict_ended', at: endedAt, conflict })
}
