import type { Contract } from '@chancery/contract'
import { createEventWriter } from '../disclosure/event-writer.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createMessageWriter } from './message.ts'
import { registerQueueMetrics } from './queue-metrics.ts'
import { createSender } from './send.ts'
import { createWebhookSettings, type WebhookSettings } from './settings.ts'
import { startDeliveries } from './worker.ts'

export interface WebhooksOptions {
  contract: Contract
  pools: Pools
  pulse: Pulse
  metrics: Metrics
  version: string
  webhooksAllowLocal: boolean
  webhooksInFlight: number
  onError: (error: unknown) => void
}

/** Webhooks of this process: it delivers, and changes what is delivered. */
export interface Webhooks {
  settings: WebhookSettings
  /** Lets what is under way end for a moment, then gives it back. */
  close(): Promise<void>
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { contract, pools, pulse, metrics, version, onError } = options
  const pool = pools.outbound
  const sender = createSender({ allowsLocal: options.webhooksAllowLocal })
  const write = createMessageWriter(createEventWriter(contract), version)
  const deliveries = startDeliveries({
    pool,
    pulse,
    sender,
    write,
    inFlight: options.webhooksInFlight,
    onError,
    onAttempt({ settlement: { state }, answered }) {
      metrics.webhookAttempts.inc({ result: state === 'pending' ? 'retried' : state })
      metrics.webhookLatency.observe(answered.latencyMs / 1000)
    },
  })
  registerQueueMetrics(metrics.registry, pool)
  return {
    settings: createWebhookSettings({
      pool,
      contract,
      sender,
      write,
      allowsLocal: options.webhooksAllowLocal,
      onQueued: deliveries.wake,
    }),
    async close() {
      await deliveries.close()
      await sender.close()
    },
  }
}
