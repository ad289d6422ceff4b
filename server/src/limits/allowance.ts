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

/**
 * Fixed windows per subject: a window begins with the subject's first call and never holds more than the
 * limit. Refused calls neither count nor lengthen the wait. The limit may differ from call to call: the
 * count so far holds against the new one.
 */
export interface LimitStore {
  /** Takes one call. Answers at once where the store is in this process, so that the hot path makes no promise. */
  take(subject: string, limit: number): Allowance | Promise<Allowance>
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
