import assert from 'node:assert/strict'

/**
 * Waits until something holds, where it is promised within a time. The slowest look at it tells how busy the machine is: the limit is
 * later by ten of them.
 */
export async function untilWithin(
  limitMs: number,
  holds: () => Promise<boolean>,
  what: string,
): Promise<void> {
  const startedAt = performance.now()
  let slowestMs = 0
  for (;;) {
    const lookedAt = performance.now()
    if (await holds()) return
    const now = performance.now()
    slowestMs = Math.max(slowestMs, now - lookedAt)
    const tookMs = now - startedAt
    assert.ok(
      tookMs < limitMs + 10 * slowestMs,
      `after ${Math.round(tookMs)} ms it was not so that ${what}; the slowest look took ${Math.round(slowestMs)} ms`,
    )
  }
}
