import assert from 'node:assert/strict'

/**
 * Waits until something holds; fails with what it was where that takes too long: by itself as long as a machine may need that does ten
 * other things.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `it did not come to be that ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
