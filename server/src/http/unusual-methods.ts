import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** One that Fastify knows and that no route allows. It has no body to be read. */
const substituteMethod = 'TRACE'

/**
 * Lets one method stand for all that Fastify knows nothing of: a call with one of them finds its route and is refused there, with what is
 * allowed. A tree of routes for each of Node's thirty would hold 6 MB.
 */
export function mapUnknownMethods(app: FastifyInstance): void {
  const usual = new Set(app.supportedMethods)
  app.server.prependListener('request', (req: IncomingMessage) => {
    if (!usual.has(req.method ?? '')) req.method = substituteMethod
  })
}
