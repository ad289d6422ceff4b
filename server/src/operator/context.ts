import type { Contract } from '@chancery/contract'
import type { IngestContext } from '../ingest/index.ts'
import type { RequestLog } from '../journal/request-log.ts'
import type { ConnectionTarget } from '../store/database.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ReadQueue } from '../webhooks/metrics.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { AuditLog } from './audit-log.ts'
import type { TokenWatch } from './token-watch.ts'

/** What the operator's routes work with. */
export interface OperatorContext {
  contract: Contract
  pools: Pools
  target: ConnectionTarget
  pulse: Pulse
  ingest: IngestContext
  metrics: Metrics
  log: Logger
  webhooks: WebhookSettings
  webhookQueue: ReadQueue
  requestLog: Pick<RequestLog, 'read'>
  auditLog: AuditLog
  tokenWatch: TokenWatch
  /** What callers see in front of the public listener, once it listens. */
  publicUrl: () => string
  version: string
  /** Number of the last migration that the database had at the start. */
  migration: number
}
