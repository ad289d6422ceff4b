import type { FastifyInstance } from 'fastify'
import type { Pulse } from '../store/pulse.ts'

/** `/healthz`: the process is alive. `/readyz`: it can serve requests, because the database responds and it is not shutting down. */
export function registerHealth(
  app: FastifyInstance,
  { pulse, isDraining }: { pulse: Pulse; isDraining: () => boolean },
): void {
  const get = { exposeHeadRoute: true }
  app.get('/healthz', get, async (_req, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', get, async (_req, reply) => {
    const isReady = !isDraining() && pulse.current() !== undefined
    return reply
      .header('cache-control', 'no-store')
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready' })
  })
}
