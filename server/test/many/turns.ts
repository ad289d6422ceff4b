/** How long a cached response may be served. */
export const trustedMs = 1_000

/** When each turn of a growing number was acknowledged, and so which turn is outdated. */
export interface Turns {
  /** How long the oldest response had been outdated. */
  oldestMs(): number
  /** The next turn was acknowledged. */
  acknowledged(): void
  /** Describes the error if a response to a request sent at `sentAt` must not contain `turn`. */
  check(turn: number, sentAt: number): string | undefined
}

export function createTurns(): Turns {
  const acknowledgedAt = [Number.NEGATIVE_INFINITY]
  let oldestMs = 0
  return {
    oldestMs: () => oldestMs,
    acknowledged: () => void acknowledgedAt.push(performance.now()),
    check(turn, sentAt) {
      const replacedAt = acknowledgedAt[turn + 1]
      if (replacedAt === undefined) return undefined
      const ageMs = sentAt - replacedAt
      oldestMs = Math.max(oldestMs, ageMs)
      return ageMs < trustedMs ? undefined : `turn ${turn} was shown ${ageMs} ms after it was replaced`
    },
  }
}
