import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from '@prometheus-io/client'
import { type Database, type DatabasePool, sql } from '../store/database.ts'

/** World version, latest batches and feeds. Ages are in seconds. */
export interface WorldState {
  seq: number
  world_version: number
  world_changed_at: string | null
  ranked_version: number
  log_gaps: number
  last_batch: { id: string; applied_at: string; facts: number; events: number } | null
  last_batch_age_seconds: number | null
  feeds: { name: string; last_batch: string; applied_at: string; last_batch_age_seconds: number }[]
  refused_batches: number
  latest_refused: { id: string; refused_at: string; line: number; path: string; reason: string }[]
}

const refusedShown = 5

const ageSeconds = sql`round(extract(epoch from greatest(clock_timestamp() - applied_at, interval '0')), 1)`

/** Reads as the ingest role, on one connection. */
export const readWorldState = (pool: DatabasePool): Promise<WorldState> =>
  pool.connection(async db => {
    const world = await db.first<Omit<WorldState, keyof BatchState | 'feeds' | 'latest_refused'>>(sql`
      select w.seq, w.world_version, w.world_changed_at, r.world_version as ranked_version,
        (select count(*) from chancery_world.log_gap) as log_gaps
      from chancery_world.pulse w, chancery_world.ranking_round r`)
    if (!world) throw new Error('the pulse has no row')
    const last = await db.first<NonNullable<WorldState['last_batch']> & { age: number }>(sql`
      select id, applied_at, facts, events, ${ageSeconds} as age
      from chancery_secret.batch order by applied_at desc, last_seq desc limit 1`)
    const { age = null, ...batch } = last ?? {}
    return {
      ...world,
      last_batch: last ? (batch as NonNullable<WorldState['last_batch']>) : null,
      last_batch_age_seconds: age,
      feeds: await db.rows<WorldState['feeds'][number]>(sql`
        select name, last_batch, applied_at, ${ageSeconds} as last_batch_age_seconds
        from chancery_secret.feed order by name`),
      refused_batches: await countRefused(db),
      latest_refused: await db.rows<WorldState['latest_refused'][number]>(sql`
        select id, last_refused_at as refused_at, (refusals->0->>'line')::bigint as line, refusals->0->>'path' as path,
          refusals->0->>'reason' as reason
        from chancery_secret.refused_batch order by last_refused_at desc, id limit ${refusedShown}`),
    }
  })

async function countRefused(db: Database): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`select count(*) as count from chancery_secret.refused_batch`,
  )
  return row?.count ?? 0
}

type BatchState = Pick<WorldState, 'last_batch' | 'last_batch_age_seconds' | 'refused_batches'>

/** The part of the state that metrics show. */
const readBatchState = (
  pool: DatabasePool,
): Promise<
  Pick<BatchState, 'last_batch_age_seconds' | 'refused_batches'> & { ranking_lag_seconds: number }
> =>
  pool.connection(async db => {
    const last = await db.first<{ age: number }>(sql`
      select ${ageSeconds} as age from chancery_secret.batch order by applied_at desc limit 1`)
    const world = await db.first<{ lag: number }>(sql`
      select case when w.world_version = r.world_version or w.unranked_since is null then 0
        else round(extract(epoch from greatest(clock_timestamp() - w.unranked_since, interval '0')), 1) end as lag
      from chancery_world.pulse w, chancery_world.ranking_round r`)
    return {
      last_batch_age_seconds: last?.age ?? null,
      refused_batches: await countRefused(db),
      ranking_lag_seconds: world?.lag ?? 0,
    }
  })

/** Shorter than the timeouts of metrics scrapers. Values not read by then are absent. */
const scrapeTimeoutMs = 2_000

/** Gauges of batches and rankings, read from the database on each scrape. */
export function registerBatchMetrics(registry: Registry, pool: DatabasePool): void {
  let collecting: Promise<void> | undefined
  // Each gauge awaits the shared read: one that did not would be scraped before it.
  const shared = {
    registers: [registry],
    async collect() {
      collecting ??= read().finally(() => {
        collecting = undefined
      })
      await collecting
    },
  }
  const age = new Gauge({
    name: 'chancery_last_batch_age_seconds',
    help: 'Age in seconds of the last applied batch of facts. Absent before the first.',
    ...shared,
  })
  const refused = new Gauge({
    name: 'chancery_refused_batches',
    help: 'Batches in the dead-letter store.',
    ...shared,
  })
  const rankingLag = new Gauge({
    name: 'chancery_ranking_lag_seconds',
    help: 'Age in seconds of the oldest change not yet included in the rankings; 0 when up to date.',
    ...shared,
  })

  async function read(): Promise<void> {
    const reading = readBatchState(pool).catch(() => undefined)
    const state = await Promise.race([reading, sleep(scrapeTimeoutMs, undefined, { ref: false })])
    // Unknown is not zero.
    if (state === undefined || state.last_batch_age_seconds === null) age.remove()
    else age.set(state.last_batch_age_seconds)
    if (state === undefined) refused.remove()
    else refused.set(state.refused_batches)
    if (state === undefined) rankingLag.remove()
    else rankingLag.set(state.ranking_lag_seconds)
  }
}
