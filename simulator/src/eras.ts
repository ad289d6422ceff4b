import { daySeconds, timestamp } from './calendar.ts'
import { endConflict } from './conflicts.ts'
import { eraName } from './names/phrases.ts'
import type { Random } from './random.ts'
import type { Alliance, Era, WorldState } from './state.ts'
import { put, type Step } from './step.ts'
import { endWar } from './wars.ts'

const totalScore = (alliance: Alliance) => {
  let sum = 0
  for (const { score } of alliance.members) sum += score
  return sum
}

const ranking = (world: WorldState) =>
  [...world.alliances].sort((one, other) => totalScore(other) - totalScore(one))

const eraSummary = (random: Random, champion: string, second: string | undefined) =>
  random.pick([
    `${champion} finished first after a close season${second ? ` against ${second}` : ''}. Remembered for cheap grain, two great wars and one very long armistice.`,
    `The era in which ${champion} learned to keep its treaties${second ? ` and ${second} learned to read them` : ''}.`,
    `Nobody expected ${champion} to hold the straits for so long. Nobody took them back either.`,
    `An era of fleets: the harbours decided, and ${champion} had most of them.`,
  ])

/** The eras before the history, and the active one. */
export function reportEarlierEras(step: Step, random: Random): Era {
  const { world, from } = step
  const lengths = [190, 170]
  const next = (number: number, startedAt: number): Era => ({
    id: step.nextId('e'),
    number,
    name: world.names.once('era', () => eraName(random, number)),
    startedAt,
  })
  let startedAt = from - 420 * daySeconds
  for (const [index, length] of lengths.entries()) {
    const era = next(index + 1, startedAt)
    startedAt += length * daySeconds
    const champion = world.alliances[index % Math.max(1, world.alliances.length)]
    const rival = world.alliances[(index + 1) % Math.max(1, world.alliances.length)]
    put(step, 'era', startedAt, {
      ...eraRow(era),
      status: 'ended',
      ended_at: timestamp(startedAt),
      ...(champion
        ? {
            summary: eraSummary(random, champion.name, rival === champion ? undefined : rival?.name),
            champion: { alliance_id: champion.id, name: champion.name },
          }
        : {}),
    })
  }
  const current = next(lengths.length + 1, startedAt)
  put(step, 'era', startedAt, { ...eraRow(current), status: 'active' })
  return current
}

const eraRow = ({ id, number, name, startedAt }: Era) => ({
  id,
  number,
  name,
  started_at: timestamp(startedAt),
})

/** Ends the era with a champion and peace in all wars; the next starts at the same time. */
export function startNextEra(step: Step) {
  const { world, until } = step
  const random = step.random('eras')
  const [champion, rival] = ranking(world)
  if (!champion) return
  if (world.conflict) endConflict(step, world.conflict, random)
  for (const war of [...world.wars]) endWar(step, war, random.chance(0.7) ? 'peace' : 'stalemate', until)
  const old = world.era
  put(step, 'era', until, {
    id: old.id,
    status: 'ended',
    ended_at: timestamp(until),
    summary: eraSummary(random, champion.name, rival?.name),
    champion: { alliance_id: champion.id, name: champion.name },
  })
  const number = old.number + 1
  world.era = {
    id: step.nextId('e'),
    number,
    name: world.names.once('era', () => eraName(random, number)),
    startedAt: until,
  }
  put(step, 'era', until, { ...eraRow(world.era), status: 'active' })
  step.occurrences.push({ kind: 'era_turned', at: until, old, next: world.era, champion })
}
