import type { Clock } from './clock.ts'

/** Below this share of the limit, what is left is spread over the rest of the window. */
const reserveShare = 0.25
/** The last calls of a window, for those that cannot wait. */
const keptCalls = 2

export interface Pace {
  /**
   * Waits until a call may be sent, in the order of asking, and counts it as under way: `done` must follow.
   * An urgent call waits only where nothing is left. Rejects with the signal's reason.
   */
  take(signal?: AbortSignal | undefined, isUrgent?: boolean): Promise<void>
  /** Ends a call, with what its answer said of the budget. */
  done(headers?: Headers): void
  /** Lets nobody through for so long. */
  block(ms: number): void
}

interface Waiter {
  isUrgent: boolean
  go(): void
}

export interface PaceOptions {
  clock: Clock
  /** Calls in a window, until an answer says how many they are. */
  limit: number
  windowMs: number
}

/** The budget of one client: windows that begin with a first call, as the `x-ratelimit` headers tell of them. */
export function createPace({ clock, limit: assumed, windowMs }: PaceOptions): Pace {
  const waiting: Waiter[] = []
  let limit = assumed
  let remaining = assumed
  /** The window's end: as the server names it, and on our clock. */
  let reset = 0
  let endsAt = Number.NEGATIVE_INFINITY
  let blockedUntil = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let underWay = 0
  let stopTimer = () => {}

  /** Milliseconds until the next call may go. Infinity: until one that is under way has ended. */
  function delay(isUrgent: boolean): number {
    const now = clock.now()
    if (blockedUntil > now) return blockedUntil - now
    const isRunning = now < endsAt
    const restMs = isRunning ? endsAt - now : Number.POSITIVE_INFINITY
    const all = (isRunning ? remaining : limit) - underWay
    if (isUrgent) return all > 0 ? 0 : restMs
    const left = all - Math.min(keptCalls, Math.floor(limit / 10))
    if (left <= 0) return restMs
    if (left > limit * reserveShare) return 0
    return Math.max(0, lastAt + Math.min(restMs, windowMs) / left - now)
  }

  function pump(): void {
    stopTimer()
    for (let next = waiting[0]; next; next = waiting[0]) {
      const ms = delay(next.isUrgent)
      if (ms > 0) {
        if (ms < Number.POSITIVE_INFINITY) stopTimer = clock.after(Math.ceil(ms), pump)
        return
      }
      waiting.shift()
      underWay += 1
      lastAt = clock.now()
      next.go()
    }
  }

  function note(headers: Headers): void {
    const [told, left, end] = ['limit', 'remaining', 'reset'].map(name => {
      const text = headers.get(`x-ratelimit-${name}`)
      return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
    })
    if (told === undefined || left === undefined || end === undefined) return
    const now = clock.now()
    const isRunning = now < endsAt
    if (isRunning && end < reset) return
    // Answers overtake each other: within one window the least is the latest.
    remaining = isRunning && end === reset && told === limit ? Math.min(remaining, left) : left
    limit = told
    if (isRunning && end === reset) return
    reset = end
    // By the server's clock where it says what that is: ours may be wrong by hours.
    const said = Date.parse(headers.get('date') ?? '')
    const serverNow = Number.isNaN(said) ? clock.wall() : said
    endsAt = now + Math.min(windowMs, Math.max(0, end * 1000 - serverNow))
  }

  return {
    take(signal, isUrgent = false) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const onAbort = () => {
          waiting.splice(waiting.indexOf(waiter), 1)
          reject(signal?.reason)
          pump()
        }
        const waiter: Waiter = {
          isUrgent,
          go() {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        const place = isUrgent ? waiting.findIndex(other => !other.isUrgent) : -1
        waiting.splice(place < 0 ? waiting.length : place, 0, waiter)
        signal?.addEventListener('abort', onAbort, { once: true })
        pump()
      })
    },

    done(headers) {
      underWay -= 1
      if (headers) note(headers)
      pump()
    },

    block(ms) {
      blockedUntil = Math.max(blockedUntil, clock.now() + ms)
      pump()
    },
  }
}
