/** The clock of the client. Tests pass their own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number
  /** Unix milliseconds of the system clock, which may be wrong. */
  wall(): number
  /** Calls back after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Rejects with the signal's reason if it is aborted before. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = () => {
      stop()
      reject(signal?.reason)
    }
    const stop = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
