import { createHash, timingSafeEqual } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { ApiError } from '../http/api-error.ts'
import { createErrorHandler, sendError } from '../http/errors.ts'
import { createRequestIds } from '../http/request-id.ts'
import { createTrustedProxies } from '../http/trusted-proxies.ts'
import type { Logger } from '../telemetry/log.ts'
import { codeRoutes } from './codes.ts'
import type { OperatorContext } from './context.ts'
import { factRoutes } from './facts.ts'
import { handoverRoutes } from './handovers.ts'
import { journalRoutes } from './journal.ts'
import { keyRoutes } from './keys.ts'
import { playerRoutes } from './players.ts'
import { statusRoutes } from './status.ts'
import { webhookRoutes } from './webhooks.ts'

/** The largest JSON body. Facts beyond it come as a stream, which has no limit. */
const bodyBytesMax = 8 * 1_048_576

/** The SQLSTATE of a text that cannot be stored. */
const noSuchText = '22021'

/** The private listener for the game's own servers. Every call needs the operator token. */
export function buildOperatorApp(
  context: OperatorContext,
  { token, log }: { token: string; log: Logger },
): FastifyInstance {
  const requestIds = createRequestIds(createTrustedProxies([]))
  const app = Fastify({
    logger: false,
    genReqId: () => requestIds.make(),
    bodyLimit: bodyBytesMax,
    // A stream of facts takes as long as it takes; what does not move is ended by the socket's own time limit.
    requestTimeout: 0,
    // A game may keep its stream open for ever. What it was not told of it sends again; nothing is applied twice.
    forceCloseConnections: true,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )

  const handleError = createErrorHandler(log)
  app.setErrorHandler((error, req, reply) => {
    const { statusCode, code } = error as { statusCode?: number; code?: string }
    const isCallers = statusCode !== undefined && statusCode >= 400 && statusCode < 500
    if (isCallers) return sendError(reply, new ApiError('bad_request', messageOf(error)))
    // PostgreSQL has no text with a NUL in it, wherever one was sent.
    if (code === noSuchText)
      return sendError(reply, new ApiError('bad_request', 'A text contains a NUL character.'))
    return handleError(error, req, reply)
  })
  app.setNotFoundHandler((_req, reply) => sendError(reply, new ApiError('not_found')))

  const expected = digest(token)
  app.addHook('onRequest', async (req, reply) => {
    reply.header('x-request-id', req.id).header('cache-control', 'no-store')
    const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new ApiError('invalid_api_key', 'This needs the operator token: Authorization: Bearer <token>.', {
        'www-authenticate': 'Bearer',
      })
    }
  })

  factRoutes(app, context)
  keyRoutes(app, context)
  codeRoutes(app, context)
  handoverRoutes(app, context)
  playerRoutes(app, context)
  webhookRoutes(app, context)
  journalRoutes(app, context)
  statusRoutes(app, context)
  return app
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const messageOf = (error: unknown) => (error instanceof Error ? error.message : undefined)
