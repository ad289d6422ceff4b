import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../telemetry/metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's id, for metrics: a path could hold a code. */
    operation?: string
  }
}

/** Counts answers by operation and status. */
export function countAnswers(app: FastifyInstance, { requests }: Pick<Metrics, 'requests'>): void {
  app.addHook('onResponse', (req, reply, done) => {
    requests.inc({ operation: req.routeOptions.config.operation ?? 'none', status: reply.statusCode })
    done()
  })
}
