import type { Ask } from './ask.ts'
import { asksOf } from './asks.ts'
import type { Contestant } from './contestants/contestant.ts'
import { exchange } from './exchange.ts'
import { type Turn, takeTurn } from './measure.ts'
import type { WorkResult } from './report/results.ts'
import type { Scene } from './scene.ts'
import { verify } from './verify.ts'
import type { ContestantId, Work } from './work.ts'
import { whileMoving } from './world/move-world.ts'

/** Connections of the load: a service that is asked by so many at once has always something to do. */
export const connections = 32

const warmUpSeconds = 2

export interface RoundsOrder {
  rounds: number
  seconds: number
  say: (text: string) => void
}

/** A contestant at a work, and its turns until now. */
interface Entry {
  contestant: Contestant
  asks: Ask[]
  turns: Turn[]
}

/**
 * Measures everybody at these works, in turns: in each round everybody has one turn at everything, so that what slows the machine for a
 * while slows all. What stands still is measured before the world begins to move.
 */
export async function runRounds(
  scene: Scene,
  works: readonly Work[],
  order: RoundsOrder,
): Promise<WorkResult[]> {
  const entries = new Map<Work, Entry[]>()
  for (const work of works) entries.set(work, await prepare(scene, work))
  for (const isMoving of [false, true]) {
    const now = works.filter(work => work.isMoving === isMoving)
    if (now.length === 0) continue
    const measure = () => measureAll(scene, new Map(now.map(work => [work, entries.get(work) ?? []])), order)
    if (isMoving) await whileMoving(scene.door, scene.subjects.nations, measure)
    else await measure()
  }
  return [...entries].map(([{ id, title, isMoving }, entriesOfWork]) => ({
    id,
    title,
    isMoving,
    contestants: entriesOfWork.map(({ contestant, turns }) => ({
      id: contestant.id as ContestantId,
      title: contestant.title,
      turns,
    })),
  }))
}

/** Whoever is there and asked at this work. Rejects where one of them does not answer as Chancery does. */
async function prepare(scene: Scene, work: Work): Promise<Entry[]> {
  const there = work.contestants.flatMap(id => scene.contestants.get(id) ?? [])
  const [source] = there.filter(({ id }) => id === 'chancery' || id === 'chancery-keys')
  if (!source) throw new Error(`nobody says what the answers at "${work.title}" are`)
  const sourceAsks = await asksOf(work, source, scene)
  // With keys there are so many requests for each that is asked without one.
  const step = sourceAsks.length / work.asks.length
  const reference = (index: number) =>
    exchange(source.url, sourceAsks[index * step] ?? { path: work.asks[0]?.path ?? '/' })
  return Promise.all(
    there.map(async contestant => {
      const asks = await asksOf(work, contestant, scene)
      const perAsk = asks.length / work.asks.length
      await contestant.replay?.(await reference(0))
      await verify(work, { contestant, asks }, index => reference(Math.floor(index / perAsk)))
      return { contestant, asks, turns: [] }
    }),
  )
}

async function measureAll(scene: Scene, entries: Map<Work, Entry[]>, order: RoundsOrder): Promise<void> {
  // The first round only warms up: it is not kept.
  for (let round = 0; round <= order.rounds; round += 1) {
    order.say(round === 0 ? 'Warming up' : `Round ${round} of ${order.rounds}`)
    for (const [work, ofWork] of entries) {
      // Whoever is first in one round is last in the next.
      for (const entry of round % 2 === 0 ? ofWork : ofWork.toReversed()) {
        const { contestant, asks } = entry
        if (contestant.replay) await contestant.replay(await recorded(ofWork))
        const seconds = round === 0 ? warmUpSeconds : order.seconds
        const turn = await takeTurn({
          contestant,
          asks,
          connections,
          seconds,
          databasePid: scene.database.pid,
        })
        order.say(`  ${work.id}  ${contestant.title}: ${Math.round(turn.perSecond)}/s`)
        if (round > 0) entry.turns.push(turn)
      }
    }
  }
}

/** Chancery's answer at a work, now. */
async function recorded(entries: Entry[]) {
  const source = entries.find(({ contestant: { id } }) => id === 'chancery' || id === 'chancery-keys')
  const [ask] = source?.asks ?? []
  if (!source || !ask) throw new Error('there is nothing to be given again')
  return exchange(source.contestant.url, ask)
}
