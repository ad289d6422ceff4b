import { createMemoryLimits } from '../../../server/src/limits/memory.ts'
import { Chancery, type ChanceryError } from '../../src/index.ts'
import { seededRandom, steppedClock } from './clocks.ts'

export interface BotsOptions {
  url: string
  bots: number
  minutes: number
  /** Reads of one bot per minute. */
  readsPerMinute: number
  /** Calls that a key may make in a minute. */
  limit: number
  /** Called at the start of each minute, to change the world. */
  onMinute?: (minute: number) => Promise<unknown>
  /** false: every read is a request, without cache, retries and waits. */
  isClientUsed?: boolean
}

export interface BotsReport {
  reads: number
  /** Reads that ended in an error. */
  failed: number
  /** Responses by minute. */
  calls: number[]
  refused: number[]
  /** Responses with status 304. */
  notModified: number
  /** Share of the reads that needed no request. */
  fromCache: number
  /** Simulated milliseconds of reads that began after the first minute: median, 99th percentile and maximum. */
  waitedMs: { half: number; most: number; longest: number }
}

/** Random reads in the shares that bots have: few items often, others rarely. */
async function createWorkload(client: Chancery, random: () => number) {
  const pick = <T>(all: readonly T[], most: number): T[] => all.toSorted(() => random() - 0.5).slice(0, most)
  const nations = pick((await client.nations.list({ limit: 100 })).data, 40)
  const alliances = pick((await client.alliances.list({ limit: 100 })).data, 6)
  const wars = pick((await client.wars.list({ status: 'active', limit: 100 })).data, 8)
  /** The first items of a list are the most frequent. */
  const one = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(random() ** 2 * all.length)]
    if (found === undefined) throw new Error('the world is empty')
    return found
  }
  return (from: Chancery): Promise<unknown> => {
    const share = random()
    if (share < 0.35) return from.nations.get(one(nations).id)
    if (share < 0.45) return from.nations.list({ search: one(nations).nation_name.slice(0, 5) })
    if (share < 0.55) return from.alliances.get(one(alliances).id)
    if (share < 0.6) return from.alliances.members(one(alliances).id)
    if (share < 0.68) return from.wars.list({ status: 'active' })
    if (share < 0.74) return from.wars.get(one(wars).id)
    if (share < 0.79) return from.wars.battles(one(wars).id)
    if (share < 0.87) return from.market.price()
    if (share < 0.95) return from.rankings.list({ board: random() < 0.7 ? 'nations' : 'alliances' })
    if (share < 0.97) return from.conflicts.list()
    if (share < 0.98) return from.eras.list()
    return from.news.list()
  }
}

/**
 * Many bots with a key each, for minutes of simulated time. Responses are those of a real server; requests of a key are
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
  let completed = 0
  const count = (counts: number[]) => {
    const minute = Math.floor(clock.now() / 60_000)
    counts[minute] = (counts[minute] ?? 0) + 1
  }

  const fetchOf =
    (bot: string): typeof fetch =>
    async (input, init) => {
      const allowance = limits.consume(bot, limit)
      const rateLimitHeaders = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(allowance.remaining),
        'x-ratelimit-reset': String(Math.ceil(allowance.resetAt / 1000)),
        date: new Date(clock.wall()).toUTCString(),
      }
      count(calls)
      if (!allowance.isAllowed) {
        count(refused)
        const error = { code: 'rate_limited', message: 'Wait.', request_id: 'req_1' }
        const headers = { ...rateLimitHeaders, 'retry-after': String(allowance.retryAfterSeconds) }
        return new Response(JSON.stringify({ error }), { status: 429, headers })
      }
      // The key is simulated here; the real server does not know it.
      const sent = new Headers(init?.headers)
      sent.delete('authorization')
      const received = await clock.during(
        fetch(input, { ...init, headers: sent }).then(async response => ({
          response,
          text: await response.text(),
        })),
      )
      const { status, headers } = received.response
      if (status === 304) notModified += 1
      const all = new Headers(headers)
      for (const [name, value] of Object.entries(rateLimitHeaders)) all.set(name, value)
      return new Response(status === 304 ? null : received.text, { status, headers: all })
    }

  const plain = isClientUsed ? {} : { cacheSeconds: 0, retries: 0 }
  const atOnce = { ...clock, now: () => 0, after: () => () => {} }
  const allBots = await Promise.all(
    Array.from({ length: bots }, async (_, index) => {
      const random = seededRandom(index + 1)
      const load = await createWorkload(new Chancery({ baseUrl: url, clock }), random)
      for (let spent = Math.floor(random() * limit); spent > 0; spent -= 1)
        limits.consume(`bot ${index}`, limit)
      const newClient = () =>
        new Chancery({
          baseUrl: url,
          apiKey: 'chk_simulated',
          fetch: fetchOf(`bot ${index}`),
          clock: isClientUsed ? clock : atOnce,
          random: random,
          ...plain,
        })
      const kept = newClient()
      return { random, load, client: () => (isClientUsed ? kept : newClient()) }
    }),
  )

  async function read({ load, client }: (typeof allBots)[number]): Promise<void> {
    const began = clock.now()
    reads += 1
    await load(client()).catch((_: ChanceryError) => (failed += 1))
    completed += 1
    if (began >= 60_000) waits.push(clock.now() - began)
  }

  const end = minutes * 60_000
  for (const bot of allBots) {
    const next = () => {
      const gap = (-Math.log(1 - bot.random()) * 60_000) / readsPerMinute
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
  // Wait for pending reads.
  for (let more = 0; more < 3 && completed < reads; more += 1) await clock.advance(60_000)
  await limits.close()

  waits.sort((one, other) => one - other)
  const at = (share: number) => waits[Math.floor(share * (waits.length - 1))] ?? 0
  const all = calls.reduce((sum, one) => sum + one, 0)
  return {
    reads,
    failed: failed + (reads - completed),
    calls,
    refused,
    notModified,
    fromCache: Number((1 - all / reads).toFixed(4)),
    waitedMs: { half: at(0.5), most: at(0.99), longest: at(1) },
  }
}
