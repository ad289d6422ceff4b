/** The server's clock, which decides when codes and sessions expire. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number
  observe(dateHeader: string | null): void
}

/** The Date header has a resolution of one second: smaller offsets are ignored. */
const toleranceMs = 2000

export function createServerClock(): ServerClock {
  let offsetMs = 0
  return {
    now: () => Date.now() + offsetMs,
    observe(dateHeader) {
      const serverMs = Date.parse(dateHeader ?? '')
      if (Number.isNaN(serverMs)) return
      const differenceMs = serverMs - Date.now()
      offsetMs = Math.abs(differenceMs) > toleranceMs ? differenceMs : 0
    },
  }
}
