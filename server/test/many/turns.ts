/** How long a remembered answer may be trusted. */
export const trustedMs = 1_000

/** What was told when, and so what nobody may be shown any more. A turn is one more than the one before. */
export interface Turns {
  /** How long ago the oldest of what was shown had been replaced. */
  oldestMs(): number
  /** The next turn was acknowledged. */
  told(): void
  /** Says what is wrong with an answer that shows `turn`, to a call that was made at `askedAt`; undefined where nothing is. */
  check(turn: number, askedAt: number): string | undefined
}

export function createTurns(): Turns {
  const toldAt = [Number.NEGATIVE_INFINITY]
  let oldestMs = 0
  return {
    oldestMs: () => oldestMs,
    told: () => void toldAt.push(performance.now()),
    check(turn, askedAt) {
      const replacedAt = toldAt[turn + 1]
      if (replacedAt === undefined) return undefined
      const ageMs = askedAt - replacedAt
      oldestMs = Math.max(oldestMs, ageMs)
      return ageMs < trustedMs ? undefined : `turn ${turn} was shown ${ageMs} ms after it was replaced`
    },
  }
}
