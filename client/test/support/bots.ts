import { createMemoryLimits } from '../../../server/src/limits/memory.ts'
import { Chancery, type ChanceryError } from '../../src/index.ts'
import { steppedClock } from './stepped-clock.ts'

export interface BotsOptions {
  url: string
  bots: number
  minutes: number
  /** What the users of one bot ask for in a minute. */
  readsPerMinute: number
  /** Calls that a key may make in a minute. */
  limit: number
  /** What happens in the world at the beginning of each minute. */
  onMinute?: (minute: number) => Promise<unknown>
  /** Without it every read is a call, made at once: what a bot does that knows of nothing. */
  isClientUsed?: boolean
}

export interface BotsReport {
  reads: number
  /** Reads that ended in an error. */
  failed: number
  /** Answers by minute. */
  calls: number[]
  refused: number[]
  /** Of the calls, those answered with 304. */
  notModified: number
  /** Share of the reads that were answered without a call. */
  fromCache: number
  /** Simulated milliseconds that a read took which began after the first minute: half of them, 99 of 100, and the longest. */
  waitedMs: { half: number; most: number; longest: number }
}

/** Numbers from 0 to 1 that are the same each time. */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What one bot's users like to ask, by the commands that bots have: a few things often, others now and then. */
async function taste(client: Chancery, chance: () => number) {
  const pick = <T>(all: readonly T[], most: number): T[] => all.toSorted(() => chance() - 0.5).slice(0, most)
  const nations = pick((await client.nations.list({ limit: 100 })).data, 40)
  const alliances = pick((await client.alliances.list({ limit: 100 })).data, 6)
  const wars = pick((await client.wars.list({ status: 'active', limit: 100 })).data, 8)
  /** The first of a list is asked for most. */
  const one = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(chance() ** 2 * all.length)]
    if (found === undefined) throw new Error('the world is empty')
    return found
  }
  return (from: Chancery): Promise<unknown> => {
    const share = chance()
    if (share < 0.35) return from.nations.get(one(nations).id)
    if (share < 0.45) return from.nations.list({ search: one(nations).nation_name.slice(0, 5) })
    if (share < 0.55) return from.alliances.get(one(alliances).id)
    if (share < 0.6) return from.alliances.members(one(alliances).id)
    if (share < 0.68) return from.wars.list({ status: 'active' })
    if (share < 0.74) return from.wars.get(one(wars).id)
    if (share < 0.79) return from.wars.battles(one(wars).id)
    if (share < 0.87) return from.market.price()
    if (share < 0.95) return from.rankings.list({ board: chance() < 0.7 ? 'nations' : 'alliances' })
    if (share < 0.97) return from.conflicts.list()
    if (share < 0.98) return from.eras.list()
    return from.news.list()
  }
}

/**
 * Many bots with a key each, for minutes of simulated time. Answers are those of a real server; what a key may ask is
 * counted by the server's own windows, on the simulated clock. Each bot starts in the midst of a window, as after a restart.
 */
export async function runBots(options: BotsOptions): Promise<BotsReport> {
  const { url, bots, minutes, readsPerMinute, limit, onMinute, isClientUsed = true } = options
  const clock = steppedClock(50)
  const limits = createMemoryLimits({ now: clock.wall })
  const calls = Array.from({ length: minutes + 2 }, () => 0)
  const refused = Array.from({ length: minutes + 2 }, () => 0)
  let notModified = 0
  let reads = 0
  let failed = 0
  const waits: number[] = []
  let answered = 0
  const count = (counts: number[]) => {
    const minute = Math.floor(clock.now() / 60_000)
    counts[minute] = (counts[minute] ?? 0) + 1
  }

  const fetchOf =
    (bot: string): typeof fetch =>
    async (input, init) => {
      const allowance = limits.consume(bot, limit)
      const told = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(allowance.remaining),
        'x-ratelimit-reset': String(Math.ceil(allowance.resetAt / 1000)),
        date: new Date(clock.wall()).toUTCString(),
      }
      count(calls)
      if (!allowance.isAllowed) {
        count(refused)
        const error = { code: 'rate_limited', message: 'Wait.', request_id: 'req_1' }
        const headers = { ...told, 'retry-after': String(allowance.retryAfterSeconds) }
        return new Response(JSON.stringify({ error }), { status: 429, headers })
      }
      // The server behind knows no such key: whose call it is was settled here.
      const sent = new Headers(init?.headers)
      sent.delete('authorization')
      const answer = await clock.during(
        fetch(input, { ...init, headers: sent }).then(async response => ({
          response,
          text: await response.text(),
        })),
      )
      const { status, headers } = answer.response
      if (status === 304) notModified += 1
      const all = new Headers(headers)
      for (const [name, value] of Object.entries(told)) all.set(name, value)
      return new Response(status === 304 ? null : answer.text, { status, headers: all })
    }

  const plain = isClientUsed ? {} : { cacheSeconds: 0, retries: 0 }
  const atOnce = { ...clock, now: () => 0, after: () => () => {} }
  const crowd = await Promise.all(
    Array.from({ length: bots }, async (_, index) => {
      const chance = chances(index + 1)
      const ask = await taste(new Chancery({ baseUrl: url, clock }), chance)
      for (let spent = Math.floor(chance() * limit); spent > 0; spent -= 1)
        limits.consume(`bot ${index}`, limit)
      const newClient = () =>
        new Chancery({
          baseUrl: url,
          apiKey: 'chk_simulated',
          fetch: fetchOf(`bot ${index}`),
          clock: isClientUsed ? clock : atOnce,
          random: chance,
          ...plain,
        })
      const kept = newClient()
      return { chance, ask, client: () => (isClientUsed ? kept : newClient()) }
    }),
  )

  async function read({ ask, client }: (typeof crowd)[number]): Promise<void> {
    const began = clock.now()
    reads += 1
    await ask(client()).catch((_: ChanceryError) => (failed += 1))
    answered += 1
    if (began >= 60_000) waits.push(clock.now() - began)
  }

  const end = minutes * 60_000
  for (const bot of crowd) {
    const next = () => {
      const gap = (-Math.log(1 - bot.chance()) * 60_000) / readsPerMinute
      clock.after(gap, () => {
        if (clock.now() >= end) return
        void read(bot)
        next()
      })
    }
    next()
  }
  for (let minute = 0; minute < minutes; minute += 1) {
    if (onMinute) await onMinute(minute)
    await clock.advance(60_000)
  }
  // Those who still wait are heard.
  for (let more = 0; more < 3 && answered < reads; more += 1) await clock.advance(60_000)
  await limits.close()

  waits.sort((one, other) => one - other)
  const at = (share: number) => waits[Math.floor(share * (waits.length - 1))] ?? 0
  const all = calls.reduce((sum, one) => sum + one, 0)
  return {
    reads,
    failed: failed + (reads - answered),
    calls,
    refused,
    notModified,
    fromCache: Number((1 - all / reads).toFixed(4)),
    waitedMs: { half: at(0.5), most: at(0.99), longest: at(1) },
  }
}
