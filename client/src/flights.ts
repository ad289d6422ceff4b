interface Flight {
  answer: Promise<string>
  controller: AbortController
  passengers: number
}

export interface Flights {
  /** Joins the call of this key that is under way, or starts one. It is given up when everybody who waits for it has. */
  join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<string>,
  ): Promise<string>
  /** Lets nobody join what is under way: it may tell of what was before. */
  close(): void
}

/** One flight for equal calls. */
export function createFlights(): Flights {
  const flights = new Map<string, Flight>()

  function takeOff(key: string, start: (signal: AbortSignal) => Promise<string>): Flight {
    const controller = new AbortController()
    const answer = start(controller.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key)
    })
    // Whoever waits hears of a failure; where nobody is left, nobody has to.
    answer.catch(() => {})
    const flight: Flight = { answer, controller, passengers: 0 }
    flights.set(key, flight)
    return flight
  }

  return {
    async join(key, signal, start) {
      signal?.throwIfAborted()
      const flight = flights.get(key) ?? takeOff(key, start)
      flight.passengers += 1
      const { promise: left, reject } = withReject()
      const leave = () => reject(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      try {
        return await Promise.race([flight.answer, left])
      } finally {
        signal?.removeEventListener('abort', leave)
        flight.passengers -= 1
        if (flight.passengers === 0 && signal?.aborted) {
          if (flights.get(key) === flight) flights.delete(key)
          flight.controller.abort(signal.reason)
        }
      }
    },

    close: () => flights.clear(),
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  return { promise, reject }
}
