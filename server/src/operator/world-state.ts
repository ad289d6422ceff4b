import { setTimeout as sleep } from 'node:timers/promises'
import type { operatorOperations, ResponseOf } from '@chancery/contract'
import { Gauge, type Registry } from '@prometheus-io/client'
import { listSenders, type Sender } from '../ingest/heartbeats.ts'
import { type Database, type DatabasePool, sql } from '../store/database.ts'
import { collectTogether } from '../telemetry/metrics.ts'

type Status = Required<ResponseOf<typeof operatorOperations.statusGet>>

const rejectedShown = 5

const ageSeconds = sql`round(extract(epoch from greatest(clock_timestamp() - applied_at, interval '0')), 1)`

/** World version, latest batches and feeds. Ages are in seconds. Reads as the ingest role, on one connection. */
export const readWorldState = (pool: DatabasePool) =>
  pool.connection(async db => {
    const world = await db.first<
      Pick<Status, 'seq' | 'world_version' | 'world_changed_at' | 'ranked_version' | 'log_gaps'>
    >(sql`
      select w.seq, w.world_version, w.world_changed_at, r.world_version as ranked_version,
        (select count(*) from chancery_world.log_gap) as log_gaps
      from chancery_world.pulse w, chancery_world.ranking_round r`)
    if (!world) throw new Error('chancery_world.pulse has no row')
    const last = await db.first<NonNullable<Status['last_batch']> & { age: number }>(sql`
      select id, applied_at, facts, events, ${ageSeconds} as age
      from chancery_secret.batch order by applied_at desc, last_seq desc limit 1`)
    const { age, ...batch } = last ?? { age: null }
    return {
      ...world,
      last_batch: last ? batch : null,
      last_batch_age_seconds: age,
      feeds: await db.rows<Status['feeds'][number]>(sql`
        select name, last_batch, applied_at, ${ageSeconds} as last_batch_age_seconds
        from chancery_secret.feed order by name`),
      senders: await listSenders(db),
      ranking_lag_seconds: await readRankingLag(db),
      ...(await countRejected(db)),
      latest_refused: await db.rows<Status['latest_refused'][number]>(sql`
        select id, last_rejected_at as refused_at, (rejections->0->>'line')::bigint as line, rejections->0->>'path' as path,
          rejections->0->>'reason' as reason
        from chancery_secret.dead_letter order by last_rejected_at desc, id limit ${rejectedShown}`),
    }
  })

async function countRejected(db: Database): Promise<Pick<Status, 'refused_batches' | 'set_aside_facts'>> {
  const row = await db.first<Pick<Status, 'refused_batches' | 'set_aside_facts'>>(sql`
    select count(*) filter (where not is_set_aside) as refused_batches, count(*) filter (where is_set_aside) as set_aside_facts
    from chancery_secret.dead_letter`)
  return row ?? { refused_batches: 0, set_aside_facts: 0 }
}

async function readRankingLag(db: Database): Promise<number> {
  const world = await db.first<{ lag: number }>(sql`
    select case when w.world_version = r.world_version or w.unranked_since is null then 0
      else round(extract(epoch from greatest(clock_timestamp() - w.unranked_since, interval '0')), 1) end as lag
    from chancery_world.pulse w, chancery_world.ranking_round r`)
  return world?.lag ?? 0
}

/** The part of the state that metrics show. */
const readBatchState = (pool: DatabasePool) =>
  pool.connection(async db => {
    const last = await db.first<{ age: number }>(sql`
      select ${ageSeconds} as age from chancery_secret.batch order by applied_at desc limit 1`)
    const snapshot = await db.first<{ age: number }>(sql`
      select round(extract(epoch from greatest(clock_timestamp() - created_at, interval '0')), 1) as age
      from chancery_world.snapshot order by created_at desc limit 1`)
    return {
      last_batch_age_seconds: last?.age ?? null,
      snapshot_age_seconds: snapshot?.age ?? null,
      ...(await countRejected(db)),
      ranking_lag_seconds: await readRankingLag(db),
      senders: await listSenders(db),
    }
  })

/** Shorter than the timeouts of metrics scrapers. Values not read by then are absent. */
const scrapeTimeoutMs = 2_000

/** Gauges of batches and rankings, read from the database on each scrape. */
export function registerBatchMetrics(registry: Registry, pool: DatabasePool): void {
  const shared = collectTogether(registry, async () => {
    const reading = readBatchState(pool).catch(() => undefined)
    const state = await Promise.race([reading, sleep(scrapeTimeoutMs, undefined, { ref: false })])
    // Unknown is not zero.
    for (const [gauge, value] of [
      [age, state?.last_batch_age_seconds],
      [snapshotAge, state?.snapshot_age_seconds],
      [rejectedBatches, state?.refused_batches],
      [setAsideFacts, state?.set_aside_facts],
      [rankingLag, state?.ranking_lag_seconds],
    ] as const)
      if (value == null) gauge.remove()
      else gauge.set(value)
    for (const { gauge, measure } of senderGauges) {
      gauge.reset()
      for (const sender of state?.senders ?? []) {
        const value = measure(sender)
        if (value !== null) gauge.set({ feed: sender.feed }, value)
      }
    }
  })
  const ofSenders = (name: string, help: string, measure: (sender: Sender) => number | null) => ({
    gauge: new Gauge({ name: `chancery_sender_${name}`, help, labelNames: ['feed'], ...shared }),
    measure,
  })
  const senderGauges = [
    ofSenders(
      'overdue',
      '1 while the next heartbeat of the sender of a feed is overdue, 0 otherwise.',
      sender => Number(sender.is_overdue),
    ),
    ofSenders('failing', '1 while the sender of a feed cannot read or send, 0 otherwise.', sender =>
      Number(sender.error !== null),
    ),
    ofSenders(
      'read_age_seconds',
      'Seconds since the sender of a feed last read the data of the game.',
      sender => sender.read_age_seconds,
    ),
    ofSenders(
      'waiting_views',
      'Views that the sender of a feed does not read, or whose deletions it holds back.',
      sender => sender.waiting_views.length,
    ),
    ofSenders(
      'set_aside',
      'Rows that the sender of a feed cannot send, because they were rejected.',
      sender => sender.set_aside,
    ),
  ]
  const age = new Gauge({
    name: 'chancery_last_batch_age_seconds',
    help: 'Age in seconds of the last applied batch of facts. Absent before the first.',
    ...shared,
  })
  const snapshotAge = new Gauge({
    name: 'chancery_snapshot_age_seconds',
    help: 'Age in seconds of the newest snapshot. Absent while there is none.',
    ...shared,
  })
  const rejectedBatches = new Gauge({
    name: 'chancery_refused_batches',
    help: 'Rejected batches in the dead-letter store.',
    ...shared,
  })
  const setAsideFacts = new Gauge({
    name: 'chancery_set_aside_facts',
    help: 'Facts that were set aside from their batches and do not fit yet.',
    ...shared,
  })
  const rankingLag = new Gauge({
    name: 'chancery_ranking_lag_seconds',
    help: 'Age in seconds of the oldest change not yet included in the rankings; 0 when up to date.',
    ...shared,
  })
}
