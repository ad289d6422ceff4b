/** What one call leaves in a subject's window. */
export interface Allowance {
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
export interface SharedWindow {
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
  take(subject: string, limit: number, shared?: SharedWindow): Allowance | Promise<Allowance>
  /** States the window without taking from it; `isAllowed` says whether a call would pass now. */
  peek(subject: string, limit: number): Allowance | Promise<Allowance>
  close(): Promise<void>
}

/** Every limit of the contract is per minute. */
export const defaultWindowMs = 60_000

export function allowance(state: {
  limit: number
  count: number
  isAllowed: boolean
  resetAt: number
  leftMs: number
}): Allowance {
  return {
    limit: state.limit,
    remaining: Math.max(0, state.limit - state.count),
    resetAt: state.resetAt,
    isAllowed: state.isAllowed,
    retryAfterSeconds: Math.max(1, Math.ceil(state.leftMs / 1000)),
  }
}

/** The state of two windows that a call must fit: the first's limit, and what is left of the one that leaves less. */
export function stricter(one: Allowance, other: Allowance): Allowance {
  const isOne =
    one.remaining === other.remaining ? one.resetAt >= other.resetAt : one.remaining < other.remaining
  return { ...(isOne ? one : other), limit: one.limit, isAllowed: one.isAllowed && other.isAllowed }
}
