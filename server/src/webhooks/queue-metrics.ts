import { Gauge, type Registry } from '@prometheus-io/client'
import { type ByEndpointClass, endpointClasses, type ReadQueue } from './queue-state.ts'

/**
 * The queue as the whole service has it, read when it is asked for. What waits for endpoints that are slow or fail is counted apart: it
 * is their receivers' trouble, while the oldest that waits for an endpoint that answers says whether delivery keeps up.
 */
export function registerQueueMetrics(registry: Registry, readQueue: ReadQueue): void {
  let showing: { state: ReturnType<ReadQueue>; done: Promise<void> } | undefined
  // Each of them waits for the count that is under way: a gauge that does not is read before it.
  const shared = {
    registers: [registry],
    async collect() {
      const state = readQueue()
      if (showing?.state !== state) showing = { state, done: show(state) }
      await showing.done
    },
  }
  const waiting = new Gauge({
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
  const behind = new Gauge({
    name: 'chancery_webhook_fan_out_lag_events',
    help: 'Events of the log that are not yet queued for those who want them.',
    ...shared,
  })

  async function show(reading: ReturnType<ReadQueue>): Promise<void> {
    const state = await reading
    if (!state) {
      // Unknown is not zero: while the database is away these are missing, and the other metrics are there.
      for (const gauge of [waiting, oldest, endpoints]) gauge.reset()
      // Reset would make it zero.
      behind.remove()
      return
    }
    setEach(waiting, state.depth)
    setEach(oldest, state.oldestSeconds)
    endpoints.reset()
    for (const { status, count } of state.endpoints) endpoints.set({ status }, count)
    behind.set(state.lagEvents)
  }
}

function setEach(gauge: Gauge<'endpoints'>, values: ByEndpointClass): void {
  for (const endpoints of endpointClasses) gauge.set({ endpoints }, values[endpoints])
}
