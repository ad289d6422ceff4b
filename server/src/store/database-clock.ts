/** The database's clock, estimated from query results. */
export interface DatabaseClock {
  /** Unix ms. Before the first reading the time of this machine. */
  now(): number
  /** Adds a reading of the clock that was taken between two values of `performance.now`. */
  read(nowMs: number, between: { sentAt: number; receivedAt: number }): void
}

/**
 * Uses the monotonic clock between readings, so that steps of this machine's clock have no effect. A reading bounds the offset: an offset
 * within the bounds is kept, so that slow queries do not make the time jump.
 */
export function createDatabaseClock(): DatabaseClock {
  let offset: number | undefined
  return {
    now: () => (offset === undefined ? Date.now() : Math.round(performance.now() + offset)),
    read(nowMs, { sentAt, receivedAt }) {
      const [least, most] = [nowMs - receivedAt, nowMs - sentAt]
      offset = offset === undefined ? most : Math.min(Math.max(offset, least), most)
    },
  }
}
