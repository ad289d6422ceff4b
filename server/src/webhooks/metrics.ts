import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import { type Database, sql } from '../store/database.ts'
import { collectTogether } from '../telemetry/metrics.ts'
import type { Attempt } from './attempt.ts'
import { slowForMs } from './queue.ts'

/**
 * Endpoints that respond within a second, slow ones, and failing ones. A backlog of slow or failing endpoints is caused by their
 * receivers; the oldest delivery for an answering endpoint shows whether delivery keeps up.
 */
const endpointClasses = ['answering', 'slow', 'failing'] as const
type EndpointClass = (typeof endpointClasses)[number]
type ByEndpointClass = Record<EndpointClass, number>

/** The queue of the whole service. */
export interface QueueState {
  /** Deliveries that wait for their next attempt. */
  depth: ByEndpointClass
  /** How long the oldest due delivery has been due. */
  oldestSeconds: ByEndpointClass
  endpoints: { status: string; count: number }[]
  /** Logged events that are not yet queued. */
  lagEvents: number
}

/** Reads the queue; undefined while the database is unavailable. */
export type ReadQueue = () => Promise<QueueState | undefined>

/** How long a state is cached: counting a long queue is expensive. */
const cachedMs = 5_000

export function createQueueReader(db: Database, now: () => number = () => performance.now()): ReadQueue {
  let cached: { atMs: number; state: Promise<QueueState | undefined> } | undefined
  return () => {
    if (!cached || now() - cached.atMs >= cachedMs)
      cached = { atMs: now(), state: readQueueState(db).catch(() => undefined) }
    return cached.state
  }
}

interface QueueRow {
  endpoints: EndpointClass
  waiting: number
  oldest_seconds: number
}

async function readQueueState(db: Database): Promise<QueueState> {
  const queues = await db.rows<QueueRow>(sql`
    select case when e.failing_since is not null then 'failing'
      when e.slow_at > clock_timestamp() - make_interval(secs => ${slowForMs / 1000}) then 'slow' else 'answering' end as endpoints, count(*) as waiting,
      coalesce(extract(epoch from clock_timestamp() - min(d.due_at) filter (where d.state = 'pending')), 0) as oldest_seconds
    from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id and e.status = 'active'
    where d.state in ('pending', 'sending') group by 1`)
  const endpoints = await db.rows<{ status: string; count: number }>(
    sql`select status, count(*) as count from chancery_outbound.endpoint group by 1`,
  )
  const lag = await db.first<{ events: number }>(sql`
    select p.seq - f.seq as events from chancery_world.pulse p, chancery_outbound.fan_out f`)
  const byClass = (measure: (queue: QueueRow) => number) => {
    const values: ByEndpointClass = { answering: 0, slow: 0, failing: 0 }
    for (const queue of queues) values[queue.endpoints] = Math.max(0, measure(queue))
    return values
  }
  return {
    depth: byClass(({ waiting }) => waiting),
    oldestSeconds: byClass(({ oldest_seconds }) => oldest_seconds),
    endpoints,
    lagEvents: lag?.events ?? 0,
  }
}

/** Gauges of the queue of the whole service, read on each scrape. */
export function registerQueueMetrics(registry: Registry, readQueue: ReadQueue): void {
  const shared = collectTogether(registry, setGauges)
  const depth = new Gauge({
    name: 'chancery_webhook_queue_depth',
    help: 'Queued deliveries by endpoint class: answering, slow, failing.',
    labelNames: ['endpoints'],
    ...shared,
  })
  const oldest = new Gauge({
    name: 'chancery_webhook_oldest_undelivered_seconds',
    help: 'Age in seconds of the oldest due delivery, by endpoint class.',
    labelNames: ['endpoints'],
    ...shared,
  })
  const endpoints = new Gauge({
    name: 'chancery_webhook_endpoints',
    help: 'Webhook endpoints by status.',
    labelNames: ['status'],
    ...shared,
  })
  const lag = new Gauge({
    name: 'chancery_webhook_fan_out_lag_events',
    help: 'Logged events that are not yet queued for webhook endpoints.',
    ...shared,
  })

  async function setGauges(): Promise<void> {
    const state = await readQueue()
    if (!state) {
      // Unknown is not zero: while the database is unavailable these series are absent.
      for (const gauge of [depth, oldest, endpoints]) gauge.reset()
      // reset() would make it zero.
      lag.remove()
      return
    }
    for (const name of endpointClasses) {
      depth.set({ endpoints: name }, state.depth[name])
      oldest.set({ endpoints: name }, state.oldestSeconds[name])
    }
    endpoints.reset()
    for (const { status, count } of state.endpoints) endpoints.set({ status }, count)
    lag.set(state.lagEvents)
  }
}

const resultLabels: Record<Attempt['result']['state'], string> = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
}

/** Counts the attempts of this process. */
export function createAttemptMetrics(registry: Registry): (attempt: Attempt) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'chancery_webhook_attempts_total',
    help: 'Delivery attempts of this process by result: delivered, retried (failed, will be retried) or failed (given up).',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Histogram({
    name: 'chancery_webhook_attempt_seconds',
    help: 'Duration of delivery attempts, from the name lookup to the end of the response.',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 15],
    registers,
  })
  for (const result of Object.values(resultLabels)) attempts.inc({ result }, 0)
  return ({ result: { state }, response }) => {
    attempts.inc({ result: resultLabels[state] })
    seconds.observe(response.latencyMs / 1000)
  }
}
