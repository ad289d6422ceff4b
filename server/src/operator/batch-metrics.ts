import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from '@prometheus-io/client'
import type { DatabasePool } from '../store/database.ts'
import { readBatchState } from './world-state.ts'

/** Whoever reads metrics gives up after some seconds: what the database does not say by then is missing. */
const patienceMs = 2_000

/** When the last batch was applied, how many were refused, and how old the rankings are, read from the database for each scrape. */
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
  const rankingLag = new Gauge({
    name: 'chancery_ranking_lag_seconds',
    help: 'Age in seconds of the oldest change not yet included in the rankings; 0 when up to date.',
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
    if (state === undefined) rankingLag.remove()
    else rankingLag.set(state.ranking_lag_seconds)
  }
}
