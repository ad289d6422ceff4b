import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

const isEndless = (req: IncomingMessage) =>
  !req.complete && req.headers['content-type']?.startsWith('application/x-ndjson')

/**
 * Lets calls end before the listener closes every connection. A stream of facts that is still being sent may never end, and is
 * not waited for: what it was not told of is sent again.
 */
export function drainRequests(app: FastifyInstance): void {
  const underWay = new Map<ServerResponse, IncomingMessage>()
  let onEnd = () => {}
  app.addHook('onRequest', (req, reply, done) => {
    underWay.set(reply.raw, req.raw)
    reply.raw.once('close', () => {
      underWay.delete(reply.raw)
      onEnd()
    })
    done()
  })
  app.addHook('preClose', async () => {
    const isDone = () => ![...underWay.values()].some(req => !isEndless(req))
    if (isDone()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    onEnd = () => {
      if (isDone()) resolve()
    }
    await promise
  })
}
