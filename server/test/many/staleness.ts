/** How long a cached response may be served. */
export const staleAfterMs = 1_000

/** Detects stale responses: they contain a number that was replaced more than `staleAfterMs` ago. */
export interface StalenessCheck {
  /** The age of the stalest response: how long before its request the number was replaced. */
  oldestMs(): number
  /** Call it when the next number was acknowledged. */
  acknowledge(): void
  /** Describes the error if a response to a request sent at `sentAt` is stale because it contains `turn`. */
  check(turn: number, sentAt: number): string | undefined
}

export function createStalenessCheck(): StalenessCheck {
  const acknowledgedAt = [Number.NEGATIVE_INFINITY]
  let oldestMs = 0
  return {
    oldestMs: () => oldestMs,
    acknowledge: () => void acknowledgedAt.push(performance.now()),
    check(turn, sentAt) {
      const replacedAt = acknowledgedAt[turn + 1]
      if (replacedAt === undefined) return undefined
      const ageMs = sentAt - replacedAt
      oldestMs = Math.max(oldestMs, ageMs)
      return ageMs < staleAfterMs ? undefined : `turn ${turn} was shown ${ageMs} ms after it was replaced`
    },
  }
}
