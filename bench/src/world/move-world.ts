import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '../served.ts'

const everyMs = 1_000
const nationsPerBatch = 20
let batches = 0

/**
 * Runs `work` in a world that goes on: once a second a batch changes the scores of some nations. What was remembered of the world
 * before counts no longer, and the ranking is made anew.
 */
export async function whileMoving<T>(
  door: Served,
  nationIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const moving = (async () => {
    while (!over.signal.aborted) {
      await move(door, nationIds)
      await sleep(everyMs, undefined, { signal: over.signal }).catch(() => undefined)
    }
  })()
  try {
    return await work()
  } finally {
    over.abort()
    await moving
  }
}

async function move(door: Served, nationIds: readonly string[]): Promise<void> {
  batches += 1
  const facts = Array.from({ length: nationsPerBatch }, (_, index) => ({
    op: 'put',
    resource: 'nation',
    data: {
      id: nationIds[(batches * nationsPerBatch + index) % nationIds.length],
      national_score: 100 + ((batches * 37 + index * 11) % 900),
    },
  }))
  await door.operate('POST', '/facts', { facts }, { 'idempotency-key': `move-${batches}` })
}
