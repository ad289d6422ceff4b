/**
 * Webhooks: signed messages about events to endpoints that players register.
 *
 * `queue.ts` queues a delivery per event and matching endpoint and leases deliveries to workers, `worker.ts` sends them through
 * `outbound/`, which reaches public addresses only. Delivery is at least once, per endpoint roughly in the order of the log, with retries
 * for days; `endpoint-health.ts` disables endpoints that keep failing. `settings.ts` manages endpoints.
 */
import type { Contract } from '@chancery/contract'
import type { Registry } from '@prometheus-io/client'
import { createItemSerializer } from '../disclosure/disclosure.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Attempt } from './attempt.ts'
import { createMessageWriter } from './message.ts'
import { createAttemptMetrics, createQueueReader, registerQueueMetrics } from './metrics.ts'
import { createSender } from './outbound/sender.ts'
import { createWebhookSettings } from './settings.ts'
import { startDeliveryWorker } from './worker.ts'

export interface WebhooksOptions {
  contract: Contract
  pools: Pools
  pulse: Pulse
  metrics: { registry: Registry }
  version: string
  webhooksAllowLocal: boolean
  webhooksInFlight: number
  log: { fanOut(queued: number): void; deliveryAttempt(attempt: Attempt): void }
  onError: (error: unknown) => void
}

/** Starts the delivery worker of this process, with the management of endpoints. */
export function startWebhooks(options: WebhooksOptions) {
  const { contract, pools, pulse, version, log, onError } = options
  const { registry } = options.metrics
  const pool = pools.outbound
  const sender = createSender({ allowsLocal: options.webhooksAllowLocal })
  const write = createMessageWriter(createItemSerializer(contract, 'event'), version)
  const countAttempt = createAttemptMetrics(registry)
  const deliveries = startDeliveryWorker({
    pool,
    pulse,
    sender,
    write,
    inFlightPerEndpoint: options.webhooksInFlight,
    now: pulse.now,
    onError,
    onQueued: log.fanOut,
    onAttempt(attempt) {
      countAttempt(attempt)
      log.deliveryAttempt(attempt)
    },
  })
  const queue = createQueueReader(pool)
  registerQueueMetrics(registry, queue)
  return {
    queue,
    settings: createWebhookSettings({
      pool,
      contract,
      sender,
      write,
      allowsLocal: options.webhooksAllowLocal,
      onQueued: deliveries.wake,
      now: pulse.now,
    }),
    /** Lets attempts in flight finish within a grace period, then releases the others. */
    async close(): Promise<void> {
      await deliveries.close()
      await sender.close()
    },
  }
}
