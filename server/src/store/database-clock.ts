/** The database's clock, as far as answers tell it. */
export interface DatabaseClock {
  /** Unix ms. Before the first reading this machine's own time. */
  now(): number
  /** Takes in a reading that was made between two moments of `performance.now`. */
  read(nowMs: number, between: { askedAt: number; answeredAt: number }): void
}

/**
 * Goes by the monotonic clock between readings, so that no step of this machine's clock is felt. A reading bounds the time: what
 * lies within the bounds is kept, so that late answers do not make it jump.
 */
export function createDatabaseClock(): DatabaseClock {
  let offset: number | undefined
  return {
    now: () => (offset === undefined ? Date.now() : Math.round(performance.now() + offset)),
    read(nowMs, { askedAt, answeredAt }) {
      const [least, most] = [nowMs - answeredAt, nowMs - askedAt]
      offset = offset === undefined ? most : Math.min(Math.max(offset, least), most)
    },
  }
}
