import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { DatabasePool } from '../store/database.ts'
import { readBatchState } from './world-state.ts'

/** Whoever reads metrics gives up after some seconds: what the database does not say by then is missing. */
const patienceMs = 2_000

/** What the game said last, and what was refused, read when it is asked for. */
export function registerBatchMetrics(registry: Registry, pool: DatabasePool): void {
  let reading: Promise<void> | undefined
  // Each of them waits for the question that is under way: a gauge that does not is read before it.
  const shared = {
    registers: [registry],
    async collect() {
      reading ??= read().finally(() => {
        reading = undefined
      })
      await reading
    },
  }
  const age = new Gauge({
    name: 'chancery_last_batch_age_seconds',
    help: 'How long ago the last batch of facts was applied. Missing before the first.',
    ...shared,
  })
  const refused = new Gauge({
    name: 'chancery_refused_batches',
    help: 'Batches that were refused and not applied since.',
    ...shared,
  })

  async function read(): Promise<void> {
    const asked = readBatchState(pool).catch(() => undefined)
    const state = await Promise.race([asked, sleep(patienceMs, undefined, { ref: false })])
    // Unknown is not zero.
    if (state === undefined || state.last_batch_age_seconds === null) age.remove()
    else age.set(state.last_batch_age_seconds)
    if (state === undefined) refused.remove()
    else refused.set(state.refused_batches)
  }
}
