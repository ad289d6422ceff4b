/** The server's clock, by which codes and sessions end. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number
  observe(dateHeader: string | null): void
}

/** A date header is up to a second old when it is written: smaller differences than this are noise. */
const noiseMs = 2000

export function createServerClock(): ServerClock {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    observe(dateHeader) {
      const serverMs = Date.parse(dateHeader ?? '')
      if (Number.isNaN(serverMs)) return
      const differenceMs = serverMs - Date.now()
      aheadMs = Math.abs(differenceMs) > noiseMs ? differenceMs : 0
    },
  }
}
