/**
 * Rate limits: fixed windows per key, player and address. Fixed windows, not a token bucket: decision 0027. `memory.ts` counts in this process, in the tables of `windows.ts`; `redis.ts`
 * counts for all processes and falls back to memory while the server is unavailable (`circuit-breaker.ts`). A window never counts more than its
 * limit, and a flood of addresses takes bounded memory. Start here.
 */
import ipaddr from 'ipaddr.js'

/** The state of a subject's window after a request. */
export interface RateLimitState {
  limit: number
  /** Requests left after this one; 0 when it is rejected. */
  remaining: number
  /** Unix ms when the window ends. */
  resetAt: number
  isAllowed: boolean
  /** Whole seconds until the window ends, at least 1; meaningful when rejected. */
  retryAfterSeconds: number
}

/** A second window, which several subjects share. */
export interface SharedLimit {
  subject: string
  limit: number
}

/**
 * Fixed windows per subject: a window begins with the subject's first request and never counts more than the limit. Rejected requests are not
 * counted. The limit may differ from request to request: the count so far is compared with the new one.
 */
export interface LimitStore {
  /**
   * Consumes one request; where `shared` is given, from both windows or from neither. The result has `limit`, and the rest of the stricter
   * window. Not a promise where the store is in this process: the hot path creates none.
   */
  consume(subject: string, limit: number, shared?: SharedLimit): RateLimitState | Promise<RateLimitState>
  /** The state of the window without consuming; `isAllowed`: whether a request would pass now. */
  peek(subject: string, limit: number): RateLimitState | Promise<RateLimitState>
  close(): Promise<void>
}

/** Every limit of the contract is per minute. */
export const defaultWindowMs = 60_000

export function rateLimitState(state: {
  limit: number
  count: number
  isAllowed: boolean
  resetAt: number
  leftMs: number
}): RateLimitState {
  return {
    limit: state.limit,
    remaining: Math.max(0, state.limit - state.count),
    resetAt: state.resetAt,
    isAllowed: state.isAllowed,
    retryAfterSeconds: Math.max(1, Math.ceil(state.leftMs / 1000)),
  }
}

/** The state of two windows together: the first's limit, and the rest of the stricter one. */
export function stricter(one: RateLimitState, other: RateLimitState): RateLimitState {
  const isOne =
    one.remaining === other.remaining ? one.resetAt >= other.resetAt : one.remaining < other.remaining
  return { ...(isOne ? one : other), limit: one.limit, isAllowed: one.isAllowed && other.isAllowed }
}

/** Caches parsed addresses: parsing takes a microsecond, and on a dual-stack socket every IPv4 client is ::ffff:a.b.c.d. */
const subjects = new Map<string, string>()
const subjectsMax = 10_000

/**
 * The bucket of an address: an IPv4 address itself, also where it is mapped into IPv6; of an IPv6 address its /64, which is the least that
 * one subscriber has. A port, which some proxies append, is ignored. Any other text is its own bucket.
 */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address
  const known = subjects.get(address)
  if (known !== undefined) return known
  const subject = parse(address)
  if (subjects.size >= subjectsMax) subjects.clear()
  subjects.set(address, subject)
  return subject
}

function parse(address: string): string {
  const withPort = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\])(?::\d+)?$/.exec(address)
  if (withPort) return addressBucket(withPort[1] ?? withPort[2] ?? '')
  // A zone (fe80::1%eth0) names an interface of this machine, not the client.
  const [bare = address] = address.split('%', 1)
  if (!ipaddr.IPv6.isValid(bare)) return address
  const ip = ipaddr.IPv6.parse(bare)
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address().toString()
  const network = new ipaddr.IPv6([...ip.parts.slice(0, 4), 0, 0, 0, 0])
  return `${network.toRFC5952String()}/64`
}
