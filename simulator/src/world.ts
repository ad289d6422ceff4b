import { demoProfile } from '@chancery/contract'
import { updateAlliances } from './alliances.ts'
import { fightBattles } from './battles.ts'
import { daySeconds, hourSeconds, parseTimestamp, timestamp } from './calendar.ts'
import { conflictDays, updateConflict } from './conflicts.ts'
import { strikeDisasters } from './disasters.ts'
import { updateEconomy } from './economy.ts'
import { startNextEra } from './eras.ts'
import type { Batch, Fact } from './fact.ts'
import { foundWorld } from './founding.ts'
import { Ledger } from './ledger.ts'
import { changePercent, hourlyPrices, marketRows, openMarket, trade } from './market.ts'
import { updateMemberships } from './membership.ts'
import { NameBook } from './names/name-book.ts'
import { updateNations } from './nation-lifecycle.ts'
import { publishNews } from './news/news.ts'
import { fingerprint, Random } from './random.ts'
import { reportNations } from './report.ts'
import type { WorldOptions, WorldState } from './state.ts'
import { createStep, put, type Step } from './step.ts'
import { launchWeapons } from './strategic.ts'
import { updateTreaties } from './treaties.ts'
import { vocabularyOf } from './vocabulary.ts'
import { updateParticipants } from './war-participants.ts'
import { declareWars, endWars } from './wars.ts'

/** A simulated world. */
export interface World {
  /** The history as batches of facts, in order. Each call starts again and returns the same batches. */
  history(): Generator<Batch>
  /** Simulates from the end of the last step until `until` (RFC 3339). Requires that the history has been consumed. Throws a RangeError for an invalid time. */
  tick(until: string): Batch
  summary(): { nations: number; alliances: number; wars: number; day: string }
  /** All nations with what the history of a day has of them. */
  standings(): { id: string; national_score: number; city_count: number; alliance_id: string | null }[]
  /** The present state, read-only. */
  readonly state: WorldState
}

/** The simulated days of a tick, whatever its length. */
const tickDays = { min: 1 / 96, max: 0.25 }
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
    elapsed: 0,
    rows: 0,
    nations: [],
    alliances: [],
    treaties: [],
    pacts: [],
    wars: [],
    conflict: null,
    tensions: new Map(),
    era: { id: 'e0', number: 0, name: '', startedAt: startsAt },
    endedWars: new Map(),
    lastFoes: [],
    counters: new Map(),
  }
}

/** Throws a RangeError for sizes that are not whole numbers and for an invalid `endsAt`. */
export function createWorld(options: WorldOptions): World {
  const { nations, days, seed, profile = demoProfile } = options
  for (const [name, value] of Object.entries({ nations, days, seed })) {
    const least = name === 'nations' ? 1 : 0
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`${name} must be a whole number from ${least}.`)
    }
  }
  const endsAt = parseTimestamp(options.endsAt)
  const startsAt = endsAt - days * daySeconds
  const profileHash = fingerprint(JSON.stringify(profile))
  const identity = `${seed}-${nations}x${days}-${endsAt.toString(36)}-${profileHash}`
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
    const founding = createStep(state, {
      from: startsAt,
      until: startsAt,
      days: 0,
      daysLeft: days,
      mark: 'founding',
      isLive: false,
    })
    let founded: Fact[] = []
    for (const facts of foundWorld(founding, nations)) {
      if (founded.length > 0) yield historical(founded)
      founded = facts
    }
    yield { ...historical(founded), endsDay: timestamp(startsAt).slice(0, 10) }
    const conflicts = conflictDays(days)
    const eraTurnsOn = eraEndDay(days, conflicts)
    for (let day = 0; day < days; day++) {
      const until = now + daySeconds
      const step = createStep(state, {
        from: now,
        until,
        days: 1,
        daysLeft: days - day - 1,
        mark: `day-${day}`,
        isLive: false,
      })
      // The step is simulated before its first facts are returned.
      let endsDay: string | undefined = timestamp(until).slice(0, 10)
      for (const facts of simulateStep(step, { day, conflicts, eraEndsOn: eraTurnsOn })) {
        yield { ...historical(facts), ...(endsDay && { endsDay }) }
        endsDay = undefined
      }
      now = until
    }
  }

  function tick(untilText: string): Batch {
    const until = parseTimestamp(untilText)
    if (now < endsAt) throw new Error('The history of this world has not been consumed yet.')
    const from = Math.min(until, Math.max(now, until - tickReachSeconds))
    lastMark = Math.max(Date.parse(untilText), lastMark + 1)
    const mark = lastMark.toString(36)
    const passed = Math.min(tickDays.max, Math.max(tickDays.min, (until - now) / daySeconds))
    const step = createStep(state, { from, until, days: passed, daysLeft: Infinity, mark, isLive: true })
    const facts = [...simulateStep(step, null)].flat()
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
      day: timestamp(now).slice(0, 10),
    }),
    standings: () =>
      state.nations.map(({ id, score, cities, alliance }) => ({
        id,
        national_score: score,
        city_count: cities,
        alliance_id: alliance?.id ?? null,
      })),
    get state() {
      return state
    },
  }
}

/** The day on which the era ends: after the conflict nearest to the middle of a long history. */
function eraEndDay(days: number, conflicts: readonly { endsOn: number }[]): number {
  if (days < eraTurnsFromDays) return -1
  const middle = days / 2
  const ends = conflicts.map(({ endsOn }) => endsOn).filter(Number.isFinite)
  const nearest = ends.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0]
  return (nearest ?? Math.floor(middle)) + 1
}

/** The history as batches of facts, in order. Memory depends on the size of the world, not on the history. */
export function* simulateHistory(options: WorldOptions): Generator<Batch> {
  yield* createWorld(options).history()
}

/** The plan of a history. Ticks have none and decide at random. */
export interface HistoryPlan {
  day: number
  conflicts: { startsOn: number; endsOn: number }[]
  eraEndsOn: number
}

/**
 * Simulates a step. The order matters: deletions come first, so that nothing later in the step refers to deleted rows; wars end before
 * battles are fought; each nation is reported once, at the end.
 */
function* simulateStep(step: Step, plan: HistoryPlan | null): Generator<Fact[]> {
  step.world.elapsed += Math.max(1, Math.round(step.days * 1000))
  updateNations(step)
  updateAlliances(step)
  updateMemberships(step)
  if (plan && plan.day === plan.eraEndsOn) startNextEra(step)
  else updateConflict(step, plan?.conflicts ?? [], plan?.day ?? null)
  updateTreaties(step)
  endWars(step)
  declareWars(step)
  updateParticipants(step)
  fightBattles(step)
  launchWeapons(step)
  strikeDisasters(step)
  updateMarket(step)
  publishNews(step)
  updateEconomy(step)
  yield* reportNations(step)
}

function updateMarket(step: Step) {
  const { world, from, until } = step
  const { market, vocabulary } = world
  const warShare = Math.min(1, (2 * world.wars.length) / Math.max(1, world.nations.length))
  trade(market, step.random('market'), { from, until, warShare })
  // Hourly prices are kept for a month.
  const every = step.daysLeft < 30 ? 1 : 6
  for (const row of step.isLive ? [] : hourlyPrices(market, { from, until, every }))
    put(step, 'market_price', until, row)
  for (const row of marketRows(market, vocabulary.profile.currency.key, until)) {
    put(step, 'market_price', until, row)
  }
  for (const book of market.books) {
    const percent = changePercent(book)
    if (Math.abs(percent) < 4.5 || step.isLive) continue
    step.occurrences.push({ kind: 'price_moved', at: until, good: book.good, price: book.price, percent })
  }
}
