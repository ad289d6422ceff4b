import type { Contract } from '@chancery/contract'
import type { RevocationWatcher } from '../http/revocation-watcher.ts'
import type { IngestContext } from '../ingest/receive.ts'
import type { RequestLog } from '../request-log/request-log.ts'
import type { ConnectionTarget } from '../store/database.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ReadQueue } from '../webhooks/metrics.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { AuditLog } from './audit-log.ts'

/** Dependencies of the handlers. */
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
  tokenWatcher: RevocationWatcher
  /** The public listener's external URL, known once it listens. */
  publicUrl: () => string
  version: string
  /** Number of the last migration at the start. */
  migration: number
}
