import type { FastifyInstance } from 'fastify'
import { forgetOldLogLines } from '../access/operator-log.ts'
import { forgetOldTokens } from '../access/operator-tokens.ts'
import type { ConnectionTimings } from '../http/connections.ts'
import { registerBatchMetrics } from './batch-metrics.ts'
import type { OperatorContext } from './context.ts'
import { createIdentify } from './identify.ts'
import { buildOperatorApp } from './operator-app.ts'
import { batchAction, createOperatorLog } from './operator-log.ts'
import { createTokenWatch } from './token-watch.ts'

export interface OperatorParts extends Omit<OperatorContext, 'operatorLog' | 'tokenWatch'> {
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
  forgetOld(): Promise<void>
  /** Writes what waits to be written. After the listener is closed. */
  close(): Promise<void>
}

export function createOperator(options: OperatorParts): Operator {
  const { mainToken, tls, connectionTimings, onError, ...parts } = options
  const { access, ingest } = parts.pools
  const { now } = parts.pulse
  const operatorLog = createOperatorLog({ db: access, onError, now })
  const tokenWatch = createTokenWatch(access)
  const identify = createIdentify({ db: access, mainToken, onError, now })
  registerBatchMetrics(parts.metrics.registry, ingest)
  return {
    app: buildOperatorApp(
      { ...parts, operatorLog, tokenWatch },
      {
        identify,
        log: parts.log,
        tls,
        connectionTimings,
      },
    ),
    async forgetOld() {
      await forgetOldTokens(access)
      await forgetOldLogLines(access, batchAction)
    },
    async close() {
      tokenWatch.close()
      await operatorLog.close()
    },
  }
}
