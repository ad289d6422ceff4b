import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Keys } from '../access/keys.ts'
import type { KeyRecord } from '../access/store.ts'
import { anonymous, type Key, type Viewer } from '../access/viewer.ts'
import { type Allowance, type LimitStore, subjectOfAddress } from '../limits/index.ts'
import { ApiError } from './api-error.ts'
import { allowedMethods, corsHeaders, preflightHeaders } from './cors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer
    allowance: Allowance
  }
  interface FastifyContextConfig {
    /** Methods that this path answers, where they are not the usual ones. */
    methods?: string
  }
}

export interface EdgeOptions {
  keys: Keys
  limits: LimitStore
  /** Calls in one window without a key, and with a key that has no limit of its own. */
  anonymousLimit: number
  keyLimit: number
}

/** Who calls, from which bucket, and what is left in it. */
export interface Edge {
  /** Runs before every route: names the caller, takes a call, refuses what cannot go on. */
  admit(req: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void
  /** States the bucket of an address without taking from it. */
  peek(address: string | undefined): Allowance | Promise<Allowance>
}

/** What the caller presents: nothing, a text that may be a key, or something that cannot be one. */
type Credential = { kind: 'none' } | { kind: 'key'; text: string } | { kind: 'malformed' }

export function createEdge({ keys, limits, anonymousLimit, keyLimit }: EdgeOptions): Edge {
  const peek = (address: string | undefined) => limits.peek(subjectOf(undefined, address), anonymousLimit)

  const take = (req: FastifyRequest, key: KeyRecord | undefined) =>
    limits.take(subjectOf(key, req.ip), key ? (key.callLimit ?? keyLimit) : anonymousLimit)

  function wrongMethod(req: FastifyRequest): ApiError | undefined {
    const methods = req.routeOptions.config.methods ?? allowedMethods
    return methods.split(', ').includes(req.method)
      ? undefined
      : new ApiError('method_not_allowed', undefined, { allow: methods })
  }

  /** Says what follows from who calls and what is left; undefined lets the call go on. */
  function verdict(
    req: FastifyRequest,
    credential: Credential,
    key: KeyRecord | undefined,
  ): ApiError | undefined {
    const wrong = wrongMethod(req)
    if (wrong) return wrong
    if (!req.allowance.isAllowed) return rateLimited(req.allowance)
    if (credential.kind !== 'none' && !key) {
      return new ApiError('invalid_api_key', undefined, { 'www-authenticate': 'Bearer' })
    }
    return undefined
  }

  return {
    peek,

    admit(req, reply, done) {
      reply.headers(corsHeaders).header('x-request-id', req.id)
      const credential = credentialOf(req.headers.authorization)

      const settle = (key: KeyRecord | undefined, allowance: Allowance) => {
        req.viewer = key ? { kind: 'key', key } : anonymous
        req.allowance = allowance
        reply.headers(rateHeaders(allowance))
        done(verdict(req, credential, key))
      }
      const proceed = (key: KeyRecord | undefined) =>
        now(take(req, key), allowance => settle(key, allowance), done)
      /** Nothing is taken: the answer states the bucket of the address. */
      const withoutTaking = (then: () => void) =>
        now(
          peek(req.ip),
          allowance => {
            reply.headers(rateHeaders(allowance))
            then()
          },
          done,
        )

      if (req.raw.httpVersion === '1.1' && !hasOneHost(req.raw.rawHeaders)) {
        return withoutTaking(() => done(new ApiError('bad_request', undefined, { connection: 'close' })))
      }
      if (req.method === 'OPTIONS') {
        return withoutTaking(() => {
          const methods = req.routeOptions.config.methods ?? allowedMethods
          reply.headers(preflightHeaders).headers({ allow: methods, 'access-control-allow-methods': methods })
          reply.header('cache-control', 'no-store').code(204).send()
        })
      }
      const found = credential.kind === 'key' ? keys.find(credential.text) : undefined
      // Where the key cannot be read, nobody knows whose bucket to take from.
      now(found, proceed, error => withoutTaking(() => done(wrongMethod(req) ?? error)))
    },
  }
}

/** Whose calls, and whose streams, these are: a key's, or an address's. */
export const subjectOf = (key: Key | undefined, address: string | undefined): string =>
  key ? `key:${key.id}` : `ip:${subjectOfAddress(address ?? '')}`

/** Goes on with a value, at once where it is there: the hot path makes no promise. */
function now<T>(value: T | Promise<T>, then: (value: T) => void, fail: (error: Error) => void): void {
  if (value instanceof Promise) value.then(then).catch(fail)
  else then(value)
}

/** Two hosts are a way to make two servers see two requests in one. Node passes the first on; HTTP asks for 400. */
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
  const match = /^bearer +([^ ]+) *$/i.exec(header)
  return match?.[1] === undefined ? { kind: 'malformed' } : { kind: 'key', text: match[1] }
}

export const rateHeaders = ({ limit, remaining, resetAt }: Allowance) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
})

const rateLimited = ({ retryAfterSeconds }: Allowance) =>
  new ApiError('rate_limited', undefined, { 'retry-after': String(retryAfterSeconds) })
