import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  type ConnectionTimings,
  defaultConnectionTimings,
  destroyFailedHandshakes,
} from '../http/connections.ts'
import { createErrorHandler, sendError } from '../http/errors.ts'
import { lingerOnClose } from '../http/lingering-close.ts'
import { createRequestIds } from '../http/request-id.ts'
import { createTrustedProxies } from '../http/trusted-proxies.ts'
import type { Logger } from '../telemetry/log.ts'
import { createAdmit } from './admit.ts'
import { backupRoutes } from './backup.ts'
import { codeRoutes } from './codes.ts'
import type { OperatorContext } from './context.ts'
import { createDefineOperatorRoute } from './define-operator-route.ts'
import { registerDocuments } from './documents.ts'
import { factRoutes } from './facts.ts'
import { feedRoutes } from './feeds.ts'
import { drainRequests } from './finish-whole-calls.ts'
import { handoverRoutes } from './handovers.ts'
import type { FindCaller } from './identify.ts'
import { requestRoutes } from './journal.ts'
import { keyRoutes } from './keys.ts'
import { auditLogRoutes } from './log.ts'
import { OperatorError } from './operator-error.ts'
import { playerRoutes } from './players.ts'
import { refusedRoutes } from './refused.ts'
import { statusRoutes } from './status.ts'
import { tokenRoutes } from './tokens.ts'
import { webhookRoutes } from './webhooks.ts'

/** The largest JSON body. Facts beyond it come as a stream, which has no limit. */
const bodyBytesMax = 8 * 1_048_576

/** No longer one arrives: ids in paths are of any length. */
const pathBytesMax = 16_384

/** The SQLSTATE of a text that cannot be stored. */
const noSuchText = '22021'

export interface OperatorApiOptions {
  identify: FindCaller
  log: Logger
  tls: { cert: Buffer; key: Buffer } | undefined
  connectionTimings?: Partial<ConnectionTimings>
}

/** The private listener for the game's own servers. Every call needs an operator token; only its documents do not. */
export function buildOperatorApi(
  context: OperatorContext,
  { identify, log, tls, connectionTimings }: OperatorApiOptions,
): FastifyInstance {
  const { headMs, lingerMs } = { ...defaultConnectionTimings, ...connectionTimings }
  const requestIds = createRequestIds(createTrustedProxies([]))
  const admit = createAdmit(identify)
  const begin = (req: FastifyRequest, reply: FastifyReply) =>
    reply.headers({
      'x-request-id': req.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  const handleUnknown = createErrorHandler(log)
  const handleError = (error: unknown, req: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof OperatorError) return sendError(reply, error)
    const { statusCode, code } = error as { statusCode?: number; code?: string }
    const isCallers = statusCode !== undefined && statusCode >= 400 && statusCode < 500
    if (isCallers) return sendError(reply, new OperatorError('bad_request', messageOf(error)))
    // PostgreSQL has no text with a NUL in it, wherever one was sent.
    if (code === noSuchText)
      return sendError(reply, new OperatorError('bad_request', 'A text contains a NUL character.'))
    return handleUnknown(error, req, reply)
  }
  const app = Fastify({
    logger: false,
    genReqId: () => requestIds.make(),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: pathBytesMax },
    // What the router cannot read. A stranger is not told so.
    frameworkErrors: (_error, req, reply) => {
      begin(req, reply)
      const unreadable = new OperatorError('bad_request', 'The path is not percent-encoded UTF-8.')
      admit(req, reply).then(
        () => sendError(reply, unreadable),
        error => handleError(error, req, reply),
      )
    },
    // A stream of facts takes as long as it takes, and may be silent for as long as its game is.
    requestTimeout: 0,
    // A game may keep its stream open for ever. What it was not told of it sends again; nothing is applied twice.
    forceCloseConnections: true,
    return503OnClosing: false,
    ...(tls ? { https: { ...tls, handshakeTimeout: headMs } } : {}),
  }) as FastifyInstance
  destroyFailedHandshakes(app.server)
  lingerOnClose(app.server, lingerMs)
  app.decorateRequest('operator', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )
  app.addContentTypeParser('application/x-ndjson', (_req, payload, done) => done(null, payload))

  app.setErrorHandler(handleError)
  app.addHook('onRequest', async (req, reply) => void begin(req, reply))
  drainRequests(app)
  app.setNotFoundHandler({ preValidation: admit }, (_req, reply) =>
    sendError(reply, new OperatorError('not_found')),
  )

  app.register(async documents => registerDocuments(documents, context.contract))
  app.register(async door => {
    door.addHook('onRequest', admit)
    // What the contract does not name has no role that opens it, and is in no document.
    door.addHook('onRoute', route => {
      if (!route.config?.operatorOperation) throw new Error(`${route.url} is no operation of the contract`)
    })
    const define = createDefineOperatorRoute(door, context)
    factRoutes(define, context)
    feedRoutes(define, context)
    refusedRoutes(define, context)
    codeRoutes(define, context)
    handoverRoutes(define, context)
    keyRoutes(define, context)
    playerRoutes(define, context)
    webhookRoutes(define, context)
    requestRoutes(define, context)
    tokenRoutes(define, context)
    auditLogRoutes(define, context)
    statusRoutes(define, context)
    backupRoutes(define, context)
  })
  return app
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : undefined)
