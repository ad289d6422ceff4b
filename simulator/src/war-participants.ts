import { timestamp } from './calendar.ts'
import type { Random } from './random.ts'
import type { Nation, Participant, War } from './state.ts'
import { put, randomMoment, type Step } from './step.ts'

const joinsPerSideDay = 0.12
const leavesPerDay = 0.06
const perSideMax = 5

/** Members of the two alliances join wars, and leave them. A restart loses who joined in ticks, so that in ticks only wars of ticks are joined. */
export function updateParticipants(step: Step) {
  const random = step.random('participants')
  for (const war of step.world.wars) {
    const changes = [
      leaveWar(step, war, random),
      ...(step.isLive && !war.isOfTick ? [] : [joinWar(step, war, random)]),
    ]
    const at = Math.max(...changes.filter(change => change !== undefined))
    if (Number.isFinite(at)) put(step, 'war', at, { id: war.id, participants: participantsOf(war, step) })
  }
}

/** When a participant left; undefined if none did. */
function leaveWar(step: Step, { participants, attackerAlliance, defenderAlliance }: War, random: Random) {
  const leaving = participants.filter(
    ({ nation, side, leftAt }) =>
      leftAt === null &&
      (nation.alliance !== (side === 'attacker' ? attackerAlliance : defenderAlliance) ||
        random.chance(leavesPerDay * step.days)),
  )
  for (const participant of leaving)
    participant.leftAt = Math.max(participant.joinedAt, randomMoment(step, random))
  return leaving.at(-1)?.leftAt ?? undefined
}

/** When a nation joined; undefined if none did. */
function joinWar(step: Step, war: War, random: Random): number | undefined {
  const side = random.pick(['attacker', 'defender'] as const)
  const alliance = side === 'attacker' ? war.attackerAlliance : war.defenderAlliance
  if (!random.chance(joinsPerSideDay * 2 * step.days) || !alliance) return undefined
  if (war.participants.filter(participant => participant.side === side).length >= perSideMax) return undefined
  const isIn = (nation: Nation) =>
    [war.attacker, war.defender, ...war.participants.map(participant => participant.nation)].includes(nation)
  const willing = alliance.members.filter(nation => nation.status === 'active' && !isIn(nation))
  if (willing.length === 0) return undefined
  const nation = random.pick(willing)
  const joinedAt = Math.max(war.declaredAt, randomMoment(step, random))
  war.participants.push({
    side,
    nation,
    names: { nation_name: nation.name, alliance_id: alliance.id, alliance_name: alliance.name },
    joinedAt,
    leftAt: null,
  })
  return joinedAt
}

/** In ticks the receiver has newer names: see Step. */
const participantsOf = ({ participants }: War, { isLive }: Step) =>
  participants.map(({ side, nation, names, joinedAt, leftAt }: Participant) => ({
    side,
    nation_id: nation.id,
    ...(isLive ? {} : names),
    joined_at: timestamp(joinedAt),
    left_at: leftAt === null ? null : timestamp(leftAt),
  }))
