import { Gauge, type Registry } from 'prom-client'
import { type Database, sql } from '../store/database.ts'

interface QueueState {
  is_failing: boolean
  waiting: number
  oldest_seconds: number
}

/** Scrapes that come oftener than this see the same numbers: counting a long queue takes a while. */
const countedEveryMs = 5_000

/**
 * The queue as the whole service has it, read when it is asked for. What waits for endpoints that fail is counted apart: it is
 * their receivers' trouble, while the oldest that waits for an endpoint that answers says whether delivery keeps up.
 */
export function registerQueueMetrics(registry: Registry, db: Database, now: () => number = Date.now): void {
  let counting: { atMs: number; done: Promise<void> } | undefined
  // Each of them waits for the count that is under way: a gauge that does not is read before it.
  const shared = {
    registers: [registry],
    async collect() {
      if (!counting || now() - counting.atMs >= countedEveryMs) counting = { atMs: now(), done: count() }
      await counting.done
    },
  }
  const waiting = new Gauge({
    name: 'chancery_webhook_queue_depth',
    help: 'Deliveries that wait for their next attempt, by whether their endpoint answers or fails.',
    labelNames: ['endpoints'],
    ...shared,
  })
  const oldest = new Gauge({
    name: 'chancery_webhook_oldest_undelivered_seconds',
    help: 'For how long the delivery that waits longest has been due, by whether its endpoint answers or fails.',
    labelNames: ['endpoints'],
    ...shared,
  })
  const endpoints = new Gauge({
    name: 'chancery_webhook_endpoints',
    help: 'Webhook endpoints by status.',
    labelNames: ['status'],
    ...shared,
  })
  const behind = new Gauge({
    name: 'chancery_webhook_fan_out_lag_events',
    help: 'Events of the log that are not yet queued for those who want them.',
    ...shared,
  })

  async function count(): Promise<void> {
    try {
      const queues = await db.rows<QueueState>(sql`
        select e.failing_since is not null as is_failing, count(*) as waiting,
          coalesce(extract(epoch from clock_timestamp() - min(d.due_at) filter (where d.state = 'pending')), 0) as oldest_seconds
        from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id and e.status = 'active'
        where d.state in ('pending', 'sending') group by 1`)
      const statuses = await db.rows<{ status: string; count: number }>(
        sql`select status, count(*) as count from chancery_outbound.endpoint group by 1`,
      )
      const lag = await db.first<{ events: number }>(sql`
        select p.seq - f.seq as events from chancery_world.pulse p, chancery_outbound.fan_out f`)
      for (const [name, is_failing] of [['answering', false] as const, ['failing', true] as const]) {
        const queue = queues.find(state => state.is_failing === is_failing)
        waiting.set({ endpoints: name }, queue?.waiting ?? 0)
        oldest.set({ endpoints: name }, Math.max(0, queue?.oldest_seconds ?? 0))
      }
      endpoints.reset()
      for (const { status, count: number } of statuses) endpoints.set({ status }, number)
      behind.set(lag?.events ?? 0)
    } catch {
      // Unknown is not zero: while the database is away these are missing, and the other metrics are there.
      for (const gauge of [waiting, oldest, endpoints]) gauge.reset()
      // Reset would make it zero.
      behind.remove()
    }
  }
}
