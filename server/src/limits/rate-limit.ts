import ipaddr from 'ipaddr.js'

/** What one call leaves in a subject's window. */
export interface RateLimitState {
  limit: number
  /** Calls left after this one; 0 when it is refused. */
  remaining: number
  /** Unix ms when the window ends. */
  resetAt: number
  isAllowed: boolean
  /** Whole seconds until the window ends, at least 1; meaningful when refused. */
  retryAfterSeconds: number
}

/** A window that the calls of several subjects must fit together. */
export interface SharedLimit {
  subject: string
  limit: number
}

/**
 * Fixed windows per subject: a window begins with the subject's first call and never holds more than the
 * limit. Refused calls neither count nor lengthen the wait. The limit may differ from call to call: the
 * count so far holds against the new one.
 */
export interface LimitStore {
  /**
   * Takes one call; where `shared` is given, from both windows or from neither. The result has `limit`, and what is left of the
   * window that leaves less. Not a promise where the store is in this process, so that the hot path makes none.
   */
  consume(subject: string, limit: number, shared?: SharedLimit): RateLimitState | Promise<RateLimitState>
  /** States the window without taking from it; `isAllowed` says whether a call would pass now. */
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

/** The state of two windows that a call must fit: the first's limit, and what is left of the one that leaves less. */
export function stricter(one: RateLimitState, other: RateLimitState): RateLimitState {
  const isOne =
    one.remaining === other.remaining ? one.resetAt >= other.resetAt : one.remaining < other.remaining
  return { ...(isOne ? one : other), limit: one.limit, isAllowed: one.isAllowed && other.isAllowed }
}

/** Parsing costs about a microsecond, and on a dual-stack socket every IPv4 caller arrives as ::ffff:a.b.c.d. */
const subjects = new Map<string, string>()
const subjectsMax = 10_000

/**
 * The subject that an address's calls count against: an IPv4 address itself, written plainly or mapped
 * into IPv6; of an IPv6 address its /64, because one subscriber holds at least that many addresses.
 * Some proxies write a port behind the address: every port of one caller is the same subject.
 * What is no address counts as it stands.
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
  // A zone (fe80::1%eth0) names an interface of this machine, not the caller.
  const [bare = address] = address.split('%', 1)
  if (!ipaddr.IPv6.isValid(bare)) return address
  const ip = ipaddr.IPv6.parse(bare)
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address().toString()
  const network = new ipaddr.IPv6([...ip.parts.slice(0, 4), 0, 0, 0, 0])
  return `${network.toRFC5952String()}/64`
}
