import type { Contract } from '@chancery/contract'
import type { IngestContext } from '../ingest/index.ts'
import type { Journal } from '../journal/journal.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'

/** What the operator's routes work with. */
export interface OperatorContext {
  contract: Contract
  pools: Pools
  pulse: Pulse
  ingest: IngestContext
  metrics: Metrics
  webhooks: WebhookSettings
  journal: Pick<Journal, 'read'>
  /** What callers see in front of the public listener, once it listens. */
  publicUrl: () => string
  version: string
}
