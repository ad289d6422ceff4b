import assert from 'node:assert/strict'

/** Waits until a condition is true. The default timeout suits a machine that runs ten other programs. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  condition: string,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `timed out waiting until ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/**
 * Waits until a condition that is promised within a time is true. On a busy machine the limit is extended by ten times the slowest check.
 */
export async function untilWithin(
  limitMs: number,
  holds: () => Promise<boolean>,
  condition: string,
): Promise<void> {
  const startedAt = performance.now()
  let slowestMs = 0
  for (;;) {
    const checkedAt = performance.now()
    if (await holds()) return
    const now = performance.now()
    slowestMs = Math.max(slowestMs, now - checkedAt)
    const tookMs = now - startedAt
    assert.ok(
      tookMs < limitMs + 10 * slowestMs,
      `after ${Math.round(tookMs)} ms it is not true that ${condition}; the slowest check took ${Math.round(slowestMs)} ms`,
    )
  }
}

/** Extends a promised time on a busy machine: a call that takes `callMs` beside it takes less than 50 on an idle one. */
export const allowedMs = (promisedMs: number, callMs: number): number => promisedMs * Math.max(1, callMs / 50)
