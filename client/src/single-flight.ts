interface InFlightCall {
  result: Promise<string>
  controller: AbortController
  waiters: number
}

export interface SingleFlight {
  /** Joins the call of this key that is in flight, or starts one. A call is aborted when all its waiters are. */
  join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<string>,
  ): Promise<string>
  /** Later calls do not join those in flight, whose responses may be stale. */
  reset(): void
}

/** Shares one call among concurrent callers with the same key. */
export function createSingleFlight(): SingleFlight {
  const calls = new Map<string, InFlightCall>()

  function startCall(key: string, start: (signal: AbortSignal) => Promise<string>): InFlightCall {
    const controller = new AbortController()
    const call = start(controller.signal).finally(() => {
      if (calls.get(key) === flight) calls.delete(key)
    })
    // Prevents an unhandled rejection when no waiters are left.
    call.catch(() => {})
    const flight: InFlightCall = { result: call, controller, waiters: 0 }
    calls.set(key, flight)
    return flight
  }

  return {
    async join(key, signal, start) {
      signal?.throwIfAborted()
      const flight = calls.get(key) ?? startCall(key, start)
      flight.waiters += 1
      const { promise: left, reject } = withReject()
      const leave = () => reject(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      try {
        return await Promise.race([flight.result, left])
      } finally {
        signal?.removeEventListener('abort', leave)
        flight.waiters -= 1
        if (flight.waiters === 0 && signal?.aborted) {
          if (calls.get(key) === flight) calls.delete(key)
          flight.controller.abort(signal.reason)
        }
      }
    },

    reset: () => calls.clear(),
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  return { promise, reject }
}
