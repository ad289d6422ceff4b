import { demoProfile } from '@chancery/contract'
import { daySeconds, hourSeconds, momentOf, written } from './calendar.ts'
import { conflictDays } from './conflicts.ts'
import { passTime } from './days.ts'
import type { Batch, Fact } from './fact.ts'
import { foundWorld } from './founding.ts'
import { Ledger } from './ledger.ts'
import { openMarket } from './market.ts'
import { NameBook } from './names/name-book.ts'
import { fingerprint, Random } from './random.ts'
import type { WorldOptions, WorldState } from './state.ts'
import { beginStep } from './step.ts'
import { vocabularyOf } from './vocabulary.ts'

/** A world that goes on. */
export interface World {
  /** The history as batches of facts, first to last. Each call begins anew and tells the same. */
  history(): Generator<Batch>
  /** What happens from the last moment until `until` (RFC 3339). Needs the history consumed. Throws a RangeError for what is no moment. */
  tick(until: string): Batch
  summary(): { nations: number; alliances: number; wars: number; day: string }
  /** The world as it is now, to look at. */
  readonly state: WorldState
}

/** A tick lives at least so much, however short it is, and at most so much, however long nobody ticked. */
const tickDays = { least: 1 / 96, most: 0.25 }
const tickReachSeconds = 6 * hourSeconds
const eraTurnsFromDays = 40

function emptyState({ seed, profile = demoProfile }: WorldOptions, startsAt: number): WorldState {
  const vocabulary = vocabularyOf(profile)
  return {
    seed,
    vocabulary,
    names: new NameBook(),
    market: openMarket(vocabulary, new Random(seed, 'market')),
    forces: new Ledger(vocabulary.units.length),
    reserves: new Ledger(vocabulary.units.length),
    stocks: new Ledger(vocabulary.goods.length),
    startsAt,
    lived: 0,
    rows: 0,
    nations: [],
    alliances: [],
    treaties: [],
    wars: [],
    conflict: null,
    tensions: new Map(),
    era: { id: 'e0', number: 0, name: '', startedAt: startsAt },
    lastFoes: [],
    counters: new Map(),
  }
}

/** Throws a RangeError for sizes that are no whole numbers and for an `endsAt` that is no moment. */
export function createWorld(options: WorldOptions): World {
  const { nations, days, seed, profile = demoProfile } = options
  for (const [name, value] of Object.entries({ nations, days, seed })) {
    const least = name === 'nations' ? 1 : 0
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`${name} must be a whole number from ${least}.`)
    }
  }
  const endsAt = momentOf(options.endsAt)
  const startsAt = endsAt - days * daySeconds
  const words = fingerprint(JSON.stringify(profile))
  const identity = `${seed}-${nations}x${days}-${endsAt.toString(36)}-${words}`
  let state = emptyState(options, startsAt)
  let now = startsAt
  let lastMark = 0
  let batches = 0

  const historical = (facts: Fact[]): Batch => ({
    id: `history-${identity}-${++batches}`,
    announce: false,
    facts,
  })

  function* history(): Generator<Batch> {
    state = emptyState(options, startsAt)
    now = startsAt
    batches = 0
    const founding = beginStep(state, {
      from: startsAt,
      until: startsAt,
      days: 0,
      daysLeft: days,
      mark: 'founding',
      isLive: false,
    })
    for (const facts of foundWorld(founding, nations)) yield historical(facts)
    const conflicts = conflictDays(days)
    const eraTurnsOn = eraTurn(days, conflicts)
    for (let day = 0; day < days; day++) {
      const until = now + daySeconds
      const step = beginStep(state, {
        from: now,
        until,
        days: 1,
        daysLeft: days - day - 1,
        mark: `day-${day}`,
        isLive: false,
      })
      for (const facts of passTime(step, { day, conflicts, eraTurnsOn })) yield historical(facts)
      now = until
    }
  }

  function tick(untilText: string): Batch {
    const until = momentOf(untilText)
    if (now < endsAt) throw new Error('The history of this world has not been consumed yet.')
    const from = Math.min(until, Math.max(now, until - tickReachSeconds))
    lastMark = Math.max(Date.parse(untilText), lastMark + 1)
    const mark = lastMark.toString(36)
    const passed = Math.min(tickDays.most, Math.max(tickDays.least, (until - now) / daySeconds))
    const step = beginStep(state, { from, until, days: passed, daysLeft: Infinity, mark, isLive: true })
    const facts = [...passTime(step, null)].flat()
    now = Math.max(now, until)
    return { id: `tick-${identity}-${mark}`, announce: true, facts }
  }

  return {
    history,
    tick,
    summary: () => ({
      nations: state.nations.length,
      alliances: state.alliances.length,
      wars: state.wars.length,
      day: written(now).slice(0, 10),
    }),
    get state() {
      return state
    },
  }
}

/** The day on which an era turns: after the conflict nearest the middle of a long history. */
function eraTurn(days: number, conflicts: readonly { endsOn: number }[]): number {
  if (days < eraTurnsFromDays) return -1
  const middle = days / 2
  const ends = conflicts.map(({ endsOn }) => endsOn).filter(Number.isFinite)
  const nearest = ends.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0]
  return (nearest ?? Math.floor(middle)) + 1
}

/** The history as batches of facts, first to last. Memory is bounded by the world, not by the history. */
export function* simulateHistory(options: WorldOptions): Generator<Batch> {
  yield* createWorld(options).history()
}
