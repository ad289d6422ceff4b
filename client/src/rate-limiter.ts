import type { Clock } from './clock.ts'

/** Below this share of the limit, the remaining calls are spread over the rest of the window. */
const reserveShare = 0.25
/** The last calls of a window, reserved for urgent requests. */
const reservedCalls = 2

/** The rate limit of a client’s key or address, as of its latest response. */
export interface RateLimit {
  /** Requests per window. */
  limit: number
  /** Requests left in this window. */
  remaining: number
  /** When the window ends, in Unix seconds by the server’s clock. Undefined if none is running. */
  reset: number | undefined
}

export interface RateLimiter {
  readonly state: RateLimit
  /**
   * Waits, in order, until a request may be sent, and counts it as in flight: `release` must follow.
   * An urgent request waits only if no calls remain. Rejects with the signal's reason.
   */
  acquire(signal?: AbortSignal | undefined, isUrgent?: boolean): Promise<void>
  /** Ends a request, with the rate-limit headers of its response. */
  release(headers?: Headers): void
  /** Blocks all requests for this time. */
  block(ms: number): void
}

interface Waiter {
  isUrgent: boolean
  resume(): void
}

export interface RateLimiterOptions {
  clock: Clock
  /** Calls per window, until a response states the limit. */
  limit: number
  windowMs: number
}

/** The rate limiter of one client. Windows start with a first call; the `x-ratelimit` headers describe them. */
export function createRateLimiter({ clock, limit: assumed, windowMs }: RateLimiterOptions): RateLimiter {
  const queue: Waiter[] = []
  let limit = assumed
  let remaining = assumed
  /** The end of the window: as sent by the server, and on our clock. */
  let reset = 0
  let endsAt = Number.NEGATIVE_INFINITY
  let blockedUntil = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let inFlight = 0
  let stopTimer = () => {}

  /** Milliseconds until the next request may be sent. Infinity: until one in flight has ended. */
  function delay(isUrgent: boolean): number {
    const now = clock.now()
    if (blockedUntil > now) return blockedUntil - now
    const isRunning = now < endsAt
    const restMs = isRunning ? endsAt - now : Number.POSITIVE_INFINITY
    const all = (isRunning ? remaining : limit) - inFlight
    if (isUrgent) return all > 0 ? 0 : restMs
    const left = all - Math.min(reservedCalls, Math.floor(limit / 10))
    if (left <= 0) return restMs
    if (left > limit * reserveShare) return 0
    return Math.max(0, lastAt + Math.min(restMs, windowMs) / left - now)
  }

  function drainQueue(): void {
    stopTimer()
    for (let next = queue[0]; next; next = queue[0]) {
      const ms = delay(next.isUrgent)
      if (ms > 0) {
        if (ms < Number.POSITIVE_INFINITY) stopTimer = clock.after(Math.ceil(ms), drainQueue)
        return
      }
      queue.shift()
      inFlight += 1
      lastAt = clock.now()
      next.resume()
    }
  }

  function update(headers: Headers): void {
    const [newLimit, left, end] = ['limit', 'remaining', 'reset'].map(name => {
      const text = headers.get(`x-ratelimit-${name}`)
      return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
    })
    if (newLimit === undefined || left === undefined || end === undefined) return
    const now = clock.now()
    const isRunning = now < endsAt
    if (isRunning && end < reset) return
    // Responses may arrive out of order: within one window the least number is the latest.
    remaining = isRunning && end === reset && newLimit === limit ? Math.min(remaining, left) : left
    limit = newLimit
    if (isRunning && end === reset) return
    reset = end
    // By the server's clock if it sends a date: ours may be wrong by hours.
    const serverDate = Date.parse(headers.get('date') ?? '')
    const serverNow = Number.isNaN(serverDate) ? clock.wall() : serverDate
    endsAt = now + Math.min(windowMs, Math.max(0, end * 1000 - serverNow))
  }

  return {
    get state() {
      const isRunning = clock.now() < endsAt
      return isRunning ? { limit, remaining, reset } : { limit, remaining: limit, reset: undefined }
    },

    acquire(signal, isUrgent = false) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const onAbort = () => {
          queue.splice(queue.indexOf(waiter), 1)
          reject(signal?.reason)
          drainQueue()
        }
        const waiter: Waiter = {
          isUrgent,
          resume() {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        const index = isUrgent ? queue.findIndex(other => !other.isUrgent) : -1
        queue.splice(index < 0 ? queue.length : index, 0, waiter)
        signal?.addEventListener('abort', onAbort, { once: true })
        drainQueue()
      })
    },

    release(headers) {
      inFlight -= 1
      if (headers) update(headers)
      drainQueue()
    },

    block(ms) {
      blockedUntil = Math.max(blockedUntil, clock.now() + ms)
      drainQueue()
    },
  }
}
