/**
 * The operator API, on its own listener for the game's servers and its operators.
 *
 * Every request needs an operator token with a role for its operation (`authentication.ts`); `define-operator-operation.ts` validates it
 * against the contract (`contract/src/operator/`) and writes the audit log (`audit-log.ts`) for everything that is not a GET, except
 * `POST /facts`: `facts.ts` validates each fact and writes a line per batch. The other files handle one resource each.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Contract } from '@chancery/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { registerDocs } from '../docs/register-docs.ts'
import {
  type ConnectionTimings,
  defaultConnectionTimings,
  destroyFailedHandshakes,
  lingerOnClose,
} from '../http/connections.ts'
import { createErrorHandler, describeInvalidRequest, HttpError, sendError } from '../http/http-error.ts'
import { createRequestIds } from '../http/request-id.ts'
import { createRevocationWatcher } from '../http/revocation-watcher.ts'
import { createTrustedProxies } from '../http/trusted-proxies.ts'
import type { Logger } from '../telemetry/log.ts'
import { addressRoutes } from './addresses.ts'
import { batchAction, createAuditLog, pruneAuditLog } from './audit-log.ts'
import { adminCaller, createAuthenticate, createFindCaller, type FindCaller } from './authentication.ts'
import { backupRoutes } from './backup.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { createDefineOperatorOperation, type OperatorContext } from './define-operator-operation.ts'
import { factRoutes, feedRoutes } from './facts.ts'
import { codeRoutes, handoverRoutes } from './identity.ts'
import { keyRoutes } from './keys.ts'
import { auditLogRoutes, requestRoutes } from './logs.ts'
import { OperatorError } from './operator-error.ts'
import { playerRoutes } from './players.ts'
import { profileRoutes } from './profile.ts'
import { statusRoutes } from './status.ts'
import { findValidTokenIds, pruneTokens } from './token-store.ts'
import { tokenRoutes } from './tokens.ts'
import { webhookRoutes } from './webhooks.ts'
import { registerBatchMetrics } from './world-state.ts'

export interface OperatorParts extends Omit<OperatorContext, 'auditLog' | 'tokenWatcher'> {
  /** The admin token, from the configuration. Its id and name are `main`. */
  adminToken: string
  tls: { cert: Buffer; key: Buffer } | undefined
  connectionTimings: Partial<ConnectionTimings>
  onError: (error: unknown) => void
}

/** A revoked token must end its streams within a second. */
const verifyTokensEveryMs = 400

/** The operator API and its background work. */
export function createOperator(options: OperatorParts) {
  const { adminToken, tls, connectionTimings, onError, ...parts } = options
  const { access, ingest } = parts.pools
  const { now } = parts.pulse
  const auditLog = createAuditLog({ db: access, onError, now })
  const tokenWatcher = createRevocationWatcher({
    async findValidIds(ids) {
      const named = ids.filter(id => id !== adminCaller.id)
      const valid = named.length > 0 ? await findValidTokenIds(access, named) : new Set<string>()
      return valid.add(adminCaller.id)
    },
    subscribe(verify) {
      const timer = setInterval(verify, verifyTokensEveryMs).unref()
      return () => clearInterval(timer)
    },
  })
  const findCaller = createFindCaller({ db: access, adminToken, onError, now })
  registerBatchMetrics(parts.metrics.registry, ingest)
  return {
    app: buildOperatorApi(
      { ...parts, auditLog, tokenWatcher },
      { findCaller, log: parts.log, tls, connectionTimings },
    ),
    /** Deletes old tokens and audit log lines. */
    async prune(): Promise<void> {
      await pruneTokens(access)
      await pruneAuditLog(access, batchAction)
    },
    /** Flushes the audit log. Call it after the listener is closed. */
    async close(): Promise<void> {
      tokenWatcher.close()
      await auditLog.close()
    },
  }
}

/** The largest JSON body. A stream of facts has no limit. */
const bodyBytesMax = 8 * 1_048_576

/** Longer than any path that Node accepts: ids have no limit of their own. */
const pathBytesMax = 16_384

export interface OperatorApiOptions {
  findCaller: FindCaller
  log: Logger
  tls: { cert: Buffer; key: Buffer } | undefined
  connectionTimings?: Partial<ConnectionTimings>
}

/** Every request needs an operator token, except those for the documents. */
export function buildOperatorApi(
  context: OperatorContext,
  { findCaller, log, tls, connectionTimings }: OperatorApiOptions,
): FastifyInstance {
  const { headMs, lingerMs } = { ...defaultConnectionTimings, ...connectionTimings }
  const requestIds = createRequestIds(createTrustedProxies([]))
  const authenticate = createAuthenticate(findCaller)
  const setHeaders = (req: FastifyRequest, reply: FastifyReply) =>
    reply.headers({
      'x-request-id': req.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  const handleError = createErrorHandler(log, toOperatorError)
  const app = Fastify({
    logger: false,
    genReqId: () => requestIds.make(),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: pathBytesMax },
    // The router cannot decode the path. Unauthenticated requests get 401 instead.
    frameworkErrors: (_error, req, reply) => {
      setHeaders(req, reply)
      const unreadable = new OperatorError('bad_request', 'The path is not percent-encoded UTF-8.')
      authenticate(req, reply).then(
        () => sendError(reply, unreadable),
        error => handleError(error, req, reply),
      )
    },
    // A stream of facts has no time limit, and is idle for as long as its game is.
    requestTimeout: 0,
    // A game may keep its stream open for ever. It resends unacknowledged batches, and no batch is applied twice.
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
  app.addHook('onRequest', async (req, reply) => void setHeaders(req, reply))
  drainRequests(app)
  app.setNotFoundHandler({ preValidation: authenticate }, (_req, reply) =>
    sendError(reply, new OperatorError('not_found')),
  )

  app.register(async documents => registerDocuments(documents, context.contract))
  app.register(async api => {
    api.addHook('onRequest', authenticate)
    // A route outside of the contract would have no role and no documentation.
    api.addHook('onRoute', route => {
      if (!route.config?.operatorOperation)
        throw new Error(`${route.url} is not an operation of the contract`)
    })
    const define = createDefineOperatorOperation(api, context)
    factRoutes(define, context)
    feedRoutes(define, context)
    deadLetterRoutes(define, context)
    codeRoutes(define, context)
    handoverRoutes(define, context)
    keyRoutes(define, context)
    playerRoutes(define, context)
    webhookRoutes(define, context)
    requestRoutes(define, context)
    addressRoutes(define, context)
    tokenRoutes(define, context)
    auditLogRoutes(define, context)
    statusRoutes(define, context)
    profileRoutes(define, context)
    backupRoutes(define, context)
  })
  return app
}

/** Translates errors of the HTTP parser and of invalid values; undefined for others. */
function toOperatorError(error: unknown): OperatorError | undefined {
  if (error instanceof HttpError) return undefined
  const message = describeInvalidRequest(error)
  return message === undefined ? undefined : new OperatorError('bad_request', message)
}

/** Documents that need no token: the OpenAPI document, its reference page and the schema of facts. They contain no secret. */
async function registerDocuments(app: FastifyInstance, contract: Contract): Promise<void> {
  // No CORS on the operator API.
  app.addHook('onSend', async (_req, reply) => {
    reply.removeHeader('access-control-allow-origin')
  })
  registerDocs(app, { contract, listener: 'operator', publicUrl: () => '' })
}

const isOpenStream = (req: IncomingMessage) =>
  !req.complete && req.headers['content-type']?.startsWith('application/x-ndjson')

/**
 * Waits for requests in flight before the listener closes all connections, except for streams of facts, which may never end: their
 * senders resend unacknowledged batches.
 */
function drainRequests(app: FastifyInstance): void {
  const inFlight = new Map<ServerResponse, IncomingMessage>()
  let onEnd = () => {}
  app.addHook('onRequest', (req, reply, done) => {
    inFlight.set(reply.raw, req.raw)
    reply.raw.once('close', () => {
      inFlight.delete(reply.raw)
      onEnd()
    })
    done()
  })
  app.addHook('preClose', async () => {
    const isDone = () => ![...inFlight.values()].some(req => !isOpenStream(req))
    if (isDone()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    onEnd = () => {
      if (isDone()) resolve()
    }
    await promise
  })
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** Warns when tokens and facts cross a network unencrypted. */
export function warnIfExposed(
  log: Pick<Logger, 'warn'>,
  { host, hasTls }: { host: string; hasTls: boolean },
): void {
  if (hasTls || loopback.test(host)) return
  log.warn(
    { host },
    'the operator listener is reached over a network without TLS: set CHANCERY_OPERATOR_TLS_CERT and CHANCERY_OPERATOR_TLS_KEY, or see that the network is private',
  )
}
