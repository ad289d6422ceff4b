import type { Contract } from '@chancery/contract'
import type { Registry } from '@prometheus-io/client'
import { createEventWriter } from '../disclosure/event-writer.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Attempt } from './attempt.ts'
import { createAttemptMetrics } from './attempt-metrics.ts'
import { createMessageWriter } from './message.ts'
import { createSender } from './outbound/sender.ts'
import { registerQueueMetrics } from './queue-metrics.ts'
import { createQueueReader, type ReadQueue } from './queue-state.ts'
import { createWebhookSettings, type WebhookSettings } from './settings.ts'
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

/** Webhooks of this process: it delivers, and changes what is delivered. */
export interface Webhooks {
  settings: WebhookSettings
  queue: ReadQueue
  /** Lets what is under way end for a moment, then gives it back. */
  close(): Promise<void>
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { contract, pools, pulse, version, log, onError } = options
  const { registry } = options.metrics
  const pool = pools.outbound
  const sender = createSender({ allowsLocal: options.webhooksAllowLocal })
  const write = createMessageWriter(createEventWriter(contract), version)
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
    onAttempt(result) {
      countAttempt(result)
      log.deliveryAttempt(result)
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
    async close() {
      await deliveries.close()
      await sender.close()
    },
  }
}
