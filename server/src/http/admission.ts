import { limits as contractLimits } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, type Key, type Viewer } from '../access/key.ts'
import type { KeyCache } from '../access/key-cache.ts'
import type { KeyRecord } from '../access/store.ts'
import { addressBucket, type LimitStore, type RateLimitState } from '../limits/rate-limit.ts'
import { bearerToken } from './bearer-token.ts'
import { ApiError, rateLimited } from './http-error.ts'
import type { RequestTrace } from './request-metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer
    rateLimit: RateLimitState
  }
  interface FastifyContextConfig {
    /** Methods of this path, where they are not GET, HEAD and OPTIONS. */
    methods?: string
  }
}

export interface AdmissionOptions {
  keys: KeyCache
  limits: LimitStore
  /** Requests per window without a key, and with a key that has no limit of its own. */
  anonymousLimit: number
  keyLimit: number
  /** Requests per window with all keys of a player together that have no limit of their own. */
  playerLimit: number
  requestTrace?: RequestTrace | undefined
}

/** Identifies the viewer of a request and applies the rate limit: the first steps of every request to the API. */
export interface Admission {
  /**
   * For `onRequest`: sets `viewer` and `rateLimit`, consumes one request, and rejects a wrong method, an exceeded limit and a bad key.
   * With a callback instead of a promise: this is the hot path, and a request with a cached key and a limit in memory creates no promise.
   */
  admit(req: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void
  /** The state of the bucket of an address, without consuming from it. */
  peek(address: string | undefined): RateLimitState | Promise<RateLimitState>
}

/** The content of Authorization: nothing, a text that may be a key, or something that cannot be one. */
type Credential = { kind: 'none' } | { kind: 'key'; text: string } | { kind: 'malformed' }

export function createAdmission(options: AdmissionOptions): Admission {
  const { keys, limits, anonymousLimit, keyLimit, playerLimit, requestTrace } = options
  const peek = (address: string | undefined) => limits.peek(callerBucket(undefined, address), anonymousLimit)

  function consume(req: FastifyRequest, key: KeyRecord | undefined) {
    if (!key) return limits.consume(callerBucket(undefined, req.ip), anonymousLimit)
    const window = `key:${key.windowId}`
    // A limit of its own is not shared with the other keys of the player.
    if (key.callLimit !== null) return limits.consume(window, key.callLimit)
    return limits.consume(window, keyLimit, { subject: `player:${key.playerId}`, limit: playerLimit })
  }

  function methodError(req: FastifyRequest): ApiError | undefined {
    const methods = req.routeOptions.config.methods ?? allowedMethods
    return methods.split(', ').includes(req.method)
      ? undefined
      : new ApiError('method_not_allowed', undefined, { allow: methods })
  }

  /** Why the request is rejected; undefined where it is not. */
  function admissionError(
    req: FastifyRequest,
    credential: Credential,
    key: KeyRecord | undefined,
  ): ApiError | undefined {
    const wrong = methodError(req)
    if (wrong) return wrong
    if (!req.rateLimit.isAllowed) return requestLimitExceeded(req.rateLimit, callersOf(key))
    if (credential.kind !== 'none' && !key) {
      return new ApiError('invalid_api_key', undefined, { 'www-authenticate': 'Bearer' })
    }
    return undefined
  }

  return {
    peek,

    // In this order: not exactly one Host header (400), preflight (204), the key, one request consumed, then 405, 429 and 401
    // (`admissionError`).
    admit(req, reply, done) {
      reply.headers(apiHeaders).header('x-request-id', req.id)
      const credential = credentialOf(req.headers.authorization)

      const applyKey = (key: KeyRecord | undefined, state: RateLimitState) => {
        req.viewer = key ? { kind: 'key', key } : anonymous
        req.rateLimit = state
        reply.headers(rateHeaders(state))
        const error = admissionError(req, credential, key)
        requestTrace?.admission(req, key, state, error)
        done(error)
      }
      const continueWith = (key: KeyRecord | undefined) =>
        whenReady(consume(req, key), state => applyKey(key, state), done)
      /** Consumes nothing; the headers state the bucket of the address. */
      const withoutConsuming = (then: () => void) =>
        whenReady(
          peek(req.ip),
          state => {
            reply.headers(rateHeaders(state))
            then()
          },
          done,
        )

      if (req.raw.httpVersion === '1.1' && !hasOneHost(req.raw.rawHeaders)) {
        return withoutConsuming(() => done(new ApiError('bad_request', undefined, { connection: 'close' })))
      }
      if (req.method === 'OPTIONS') {
        return withoutConsuming(() => {
          const methods = req.routeOptions.config.methods ?? allowedMethods
          reply.headers(preflightHeaders).headers({ allow: methods, 'access-control-allow-methods': methods })
          reply.header('cache-control', 'no-store').code(204).send()
        })
      }
      const found = credential.kind === 'key' ? keys.find(credential.text) : undefined
      // Without the key its bucket is unknown: nothing is consumed.
      whenReady(found, continueWith, error => withoutConsuming(() => done(methodError(req) ?? error)))
    },
  }
}

/** The subject of a limit: a key, or an address without one. */
export const callerBucket = (key: Key | undefined, address: string | undefined): string =>
  key ? `key:${key.id}` : `ip:${addressBucket(address ?? '')}`

/** Continues with a value, synchronously where it is no promise. */
function whenReady<T>(value: T | Promise<T>, then: (value: T) => void, fail: (error: Error) => void): void {
  if (value instanceof Promise) value.then(then).catch(fail)
  else then(value)
}

/**
 * HTTP/1.1 requires 400 for a request that has not exactly one Host header. With two of them two servers may see different requests (request
 * smuggling); Node uses the first.
 */
function hasOneHost(rawHeaders: string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host' && rawHeaders[index + 1] !== '') hosts += 1
  }
  return hosts === 1
}

function credentialOf(header: string | undefined): Credential {
  if (header === undefined) return { kind: 'none' }
  const text = bearerToken(header)
  return text === undefined ? { kind: 'malformed' } : { kind: 'key', text }
}

export const rateHeaders = ({ limit, remaining, resetAt }: RateLimitState) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': digitsOf(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
})

const lastDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))

/**
 * As `String`, whose results V8 caches: with a high limit each request would leave one in the old generation, which is then collected every
 * few seconds under load.
 */
const digitsOf = (number: number): string =>
  number < 1_000 ? String(number) : `${Math.floor(number / 1_000)}${lastDigits[number % 1_000]}`

/** For `onRequest` outside the API: limits requests per address, in a bucket of its own. */
export const limitAddress =
  (limits: LimitStore, bucket: string, limit: number) =>
  async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('x-request-id', req.id)
    const state = await limits.consume(`${bucket}:${callerBucket(undefined, req.ip)}`, limit)
    if (!state.isAllowed) throw requestLimitExceeded(state, 'from one address')
  }

/** One bucket for pages, scripts and documents. */
export const limitPages = (limits: LimitStore) => limitAddress(limits, 'pages', contractLimits.pageRequests)

const requestLimitExceeded = ({ limit, retryAfterSeconds }: RateLimitState, whose: string) =>
  rateLimited(
    'calls',
    retryAfterSeconds,
    `Rate limit exceeded: ${limit} ${limit === 1 ? 'call' : 'calls'} in ${contractLimits.windowSeconds} seconds ${whose}. Wait for the number of seconds in retry-after.`,
  )

function callersOf(key: KeyRecord | undefined): string {
  if (!key) return 'from one address'
  return key.callLimit === null
    ? 'with this key, or the limit shared by all keys of its player'
    : 'with this key'
}

/**
 * The headers of every response of the API. Any origin may read it without credentials: keys are sent in a header, never as a cookie.
 */
export const apiHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-reason, retry-after, x-request-id, etag, www-authenticate, deprecation, sunset, date, link',
  'x-content-type-options': 'nosniff',
} as const

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  // Without credentials the asterisk allows every header but Authorization. Old browsers read it as a name.
  'access-control-allow-headers': 'authorization, if-none-match, last-event-id, *',
  'access-control-max-age': '86400',
} as const

export const allowedMethods = 'GET, HEAD, OPTIONS'
