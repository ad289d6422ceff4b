import type { ChanceryEvent, EventsOperations, Operations } from './api-types.ts'
import { createCache } from './cache.ts'
import { createCalls } from './calls.ts'
import { type Clock, systemClock } from './clock.ts'
import { createFlights } from './flights.ts'
import { type Followed, type FollowOptions, follow } from './follow.ts'
import { limits } from './limits.ts'
import { createOperations } from './operations.ts'
import { createPace } from './pace.ts'
import { createReader } from './reader.ts'
import { createTransport } from './transport.ts'

export interface ChanceryOptions {
  /** The game’s API, such as `https://api.game.example`. */
  baseUrl: string | URL
  /** A key from the developer settings. Without one the limit is that of your address, and `me` cannot be read. */
  apiKey?: string | undefined
  /** Milliseconds that one attempt may take, from sending it to the last byte. Default: 10,000. */
  timeoutMs?: number | undefined
  /** How often a call that failed on the way is made again. Default: 2. A verification never is. */
  retries?: number | undefined
  /** Seconds for which an answer is as good as new. Default: 60. 0 asks for each answer anew, with its ETag. */
  cacheSeconds?: number | undefined
  /** Answers that are kept at most. Default: 1,000. */
  cacheEntriesMax?: number | undefined
  /** Makes the calls. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Time, for tests. */
  clock?: Clock | undefined
  /** Chance from 0 to 1, for tests. */
  random?: (() => number) | undefined
}

/** The operations on events, and a way to follow the log. */
export interface EventsWithFollow extends EventsOperations {
  /**
   * Events as they happen, each once and none left out: by stream, and by polling where no stream is to be had.
   * Cuts are healed in silence. Without `after` it begins now.
   * @throws {CursorExpired} where the log does not hold what came after the position, unless `onGap` says otherwise.
   */
  follow(options?: FollowOptions): Followed
}

/** A Chancery, as one bot sees it: one budget of calls and one cache. Make one for each key, and keep it. */
export class Chancery implements Operations {
  readonly nations: Operations['nations']
  readonly alliances: Operations['alliances']
  readonly wars: Operations['wars']
  readonly market: Operations['market']
  readonly rankings: Operations['rankings']
  readonly conflicts: Operations['conflicts']
  readonly eras: Operations['eras']
  readonly events: EventsWithFollow
  readonly news: Operations['news']
  readonly game: Operations['game']
  readonly me: Operations['me']
  readonly discord: Operations['discord']
  /** Takes note of an event that came another way, as by webhook: what it names is read anew. `follow` does it by itself. */
  readonly forget: (event: ChanceryEvent) => void

  /** @throws {TypeError} where an option is not as it must be. */
  constructor(options: ChanceryOptions) {
    const { apiKey, clock = systemClock, random = Math.random } = options
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError('apiKey is empty, or holds what no key does. Leave it out to call without one.')
    const pace = createPace({
      clock,
      limit: apiKey === undefined ? limits.anonymousCalls : limits.keyCalls,
      windowMs: limits.windowSeconds * 1000,
    })
    const transport = createTransport({
      base: baseOf(options.baseUrl),
      apiKey,
      // Some runtimes want it called as a function of their own.
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
      clock,
      pace,
      timeoutMs: options.timeoutMs ?? 10_000,
      retries: options.retries ?? 2,
      random,
    })
    const cache = createCache({
      clock,
      freshMs: (options.cacheSeconds ?? limits.sharedCacheSeconds) * 1000,
      entriesMax: options.cacheEntriesMax ?? 1_000,
    })
    const flights = createFlights()
    const operations = createOperations(createCalls(createReader({ transport, cache, flights })))
    this.nations = operations.nations
    this.alliances = operations.alliances
    this.wars = operations.wars
    this.market = operations.market
    this.rankings = operations.rankings
    this.conflicts = operations.conflicts
    this.eras = operations.eras
    this.events = {
      ...operations.events,
      follow: (how = {}) => follow({ transport, cache, flights, clock, random }, how),
    }
    this.news = operations.news
    this.game = operations.game
    this.me = operations.me
    this.discord = operations.discord
    this.forget = event => {
      cache.drop(event)
      flights.close()
    }
  }
}

/** Bots call the mirror, unless they name a base themselves. */
function baseOf(baseUrl: string | URL): string {
  const { protocol, username, password, search, hash, href } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username || password || search || hash)
    throw new TypeError('baseUrl is not a plain http or https address, such as https://api.game.example')
  const plain = href.replace(/\/+$/, '')
  return /\/api\/(public\/)?v1$/.test(plain) ? plain : `${plain}/api/public/v1`
}
