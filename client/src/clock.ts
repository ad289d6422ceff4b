/** Time, as the client takes it. Tests pass their own. */
export interface Clock {
  /** Milliseconds on a clock that never steps back. */
  now(): number
  /** Unix milliseconds by the system's clock, which may be wrong. */
  wall(): number
  /** Calls back after so many milliseconds, unless the function that it returns is called before. */
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

/** Waits. Rejects with the signal's reason when it is aborted before. */
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
