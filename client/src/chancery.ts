import type { ChanceryEvent, EventsOperations } from './api-types.ts'
import { createCache } from './cache.ts'
import { createCalls } from './calls.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Followed, type FollowOptions, follow } from './follow.ts'
import { createHooks, type HookOptions } from './hooks.ts'
import { limits } from './limits.ts'
import type { Mirror, MirrorOptions } from './mirror.ts'
import { OperationGroups } from './operations.ts'
import { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limiter.ts'
import { createReader } from './reader.ts'
import { createSingleFlight } from './single-flight.ts'
import { createTransport } from './transport.ts'

export interface ChanceryOptions extends HookOptions {
  /** The game’s API, such as `https://api.game.example`. */
  baseUrl: string | URL
  /** A key from the developer settings. Without one, the rate limit of your address applies, and `me` cannot be read. */
  apiKey?: string | undefined
  /** Timeout of one attempt in milliseconds, until the last byte. Default: 10,000. */
  timeoutMs?: number | undefined
  /** How often a failed request is retried. Default: 2. Verifications are never retried. */
  retries?: number | undefined
  /** Seconds for which a response is served from the cache. Default: 60. 0 revalidates each time, with the ETag. */
  cacheSeconds?: number | undefined
  /** Responses in the cache. Default: 1,000. */
  cacheEntriesMax?: number | undefined
  /** The header User-Agent, such as `my-bot/1.2 (+https://bot.example)`. Browsers keep their own: it is not sent there. */
  userAgent?: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** The clock, for tests. */
  clock?: Clock | undefined
  /** Random numbers from 0 to 1, for tests. */
  random?: (() => number) | undefined
}

/** The operations on events, and a feed. */
export interface EventsWithFollow extends EventsOperations {
  /**
   * Events as they are logged, each exactly once: from the stream, or by polling if no stream is available.
   * Reconnects by itself. Without `after` it starts now.
   * @throws {CursorExpired} if the log does not contain the events after the position, unless `onGap` is `newest`.
   */
  follow(options?: FollowOptions): Followed
}

/** A client of one Chancery, with one rate limiter and one cache. Create one per key, and reuse it. */
export class Chancery extends OperationGroups {
  declare readonly events: EventsWithFollow
  /** Makes cached responses stale that an event affects, for events received by webhook. `follow` does it by itself. */
  readonly invalidate: (event: ChanceryEvent) => void
  /**
   * Opens a copy of the public world in a SQLite file, or creates it. `update`, `follow` or `run` then read what is missing.
   * It needs `node:sqlite`: Node 22.13 or newer.
   */
  readonly mirror: (path: string, options?: MirrorOptions) => Promise<Mirror>
  readonly #rateLimiter: RateLimiter

  /** @throws {TypeError} if an option is invalid. */
  constructor(options: ChanceryOptions) {
    const { apiKey, userAgent, clock = systemClock, random = Math.random } = options
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError(
        'apiKey is empty or has invalid characters. Omit it to send requests without a key.',
      )
    if (userAgent !== undefined && !/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(userAgent))
      throw new TypeError('userAgent must be printable ASCII characters, with single spaces between them.')
    const hooks = createHooks(options, clock)
    const rateLimiter = createRateLimiter({
      clock,
      limit: apiKey === undefined ? limits.anonymousCalls : limits.keyCalls,
      windowMs: limits.windowSeconds * 1000,
    })
    const transport = createTransport({
      base: baseOf(options.baseUrl),
      apiKey,
      // Some runtimes require the global receiver.
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
      clock,
      rateLimiter,
      hooks,
      // A browser would send a preflight request for it.
      userAgent: 'document' in globalThis || 'importScripts' in globalThis ? undefined : userAgent,
      timeoutMs: options.timeoutMs ?? 10_000,
      retries: options.retries ?? 2,
      random,
    })
    const cache = createCache({
      clock,
      freshMs: (options.cacheSeconds ?? limits.sharedCacheSeconds) * 1000,
      entriesMax: options.cacheEntriesMax ?? 1_000,
    })
    const singleFlight = createSingleFlight()
    super(createCalls(createReader({ transport, cache, singleFlight, hooks })))
    this.#rateLimiter = rateLimiter
    this.events = {
      ...this.events,
      follow: (options = {}) => follow({ transport, cache, singleFlight, clock, random }, options),
    }
    // Loaded when it is used: pages in browsers do not need it.
    this.mirror = async (path, options = {}) =>
      (await import('./mirror.ts')).openMirror({ transport, clock, random }, path, options)
    this.invalidate = event => {
      cache.invalidate(event)
      singleFlight.reset()
    }
  }

  /** The rate limit as of the latest response; before the first one, the usual limit. */
  get rateLimit(): RateLimit {
    return this.#rateLimiter.state
  }
}

/** The mirror for bots, unless the URL contains a base. */
function baseOf(baseUrl: string | URL): string {
  const { protocol, username, password, search, hash, href } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username || password || search || hash)
    throw new TypeError(
      'baseUrl must be an http or https URL without credentials and query, such as https://api.game.example',
    )
  const plain = href.replace(/\/+$/, '')
  return /\/api\/(public\/)?v1$/.test(plain) ? plain : `${plain}/api/public/v1`
}
