import type { FastifyInstance } from 'fastify'
import { pruneAuditLog } from '../access/audit-log.ts'
import { pruneTokens } from '../access/operator-tokens.ts'
import type { ConnectionTimings } from '../http/connections.ts'
import { batchAction, createAuditLog } from './audit-log.ts'
import { registerBatchMetrics } from './batch-metrics.ts'
import type { OperatorContext } from './context.ts'
import { createFindCaller } from './identify.ts'
import { buildOperatorApi } from './operator-api.ts'
import { createTokenWatch } from './token-watch.ts'

export interface OperatorParts extends Omit<OperatorContext, 'auditLog' | 'tokenWatch'> {
  /** The token of the configuration. */
  mainToken: string
  tls: { cert: Buffer; key: Buffer } | undefined
  connectionTimings: Partial<ConnectionTimings>
  onError: (error: unknown) => void
}

/** The private listener, and what it keeps beside its calls. */
export interface Operator {
  app: FastifyInstance
  /** Forgets what was over long ago. */
  prune(): Promise<void>
  /** Writes what waits to be written. After the listener is closed. */
  close(): Promise<void>
}

export function createOperator(options: OperatorParts): Operator {
  const { mainToken, tls, connectionTimings, onError, ...parts } = options
  const { access, ingest } = parts.pools
  const { now } = parts.pulse
  const auditLog = createAuditLog({ db: access, onError, now })
  const tokenWatch = createTokenWatch(access)
  const identify = createFindCaller({ db: access, mainToken, onError, now })
  registerBatchMetrics(parts.metrics.registry, ingest)
  return {
    app: buildOperatorApi(
      { ...parts, auditLog, tokenWatch },
      {
        identify,
        log: parts.log,
        tls,
        connectionTimings,
      },
    ),
    async prune() {
      await pruneTokens(access)
      await pruneAuditLog(access, batchAction)
    },
    async close() {
      tokenWatch.close()
      await auditLog.close()
    },
  }
}
