import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Contract } from '@chancery/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { KeyCache } from './access/key-cache.ts'
import { keyRoutes } from './access/routes.ts'
import { registerAccount } from './account/account-api.ts'
import type { AccountParts } from './account/context.ts'
import { createDisclosure } from './disclosure/disclosure.ts'
import { registerDocs } from './docs/register-docs.ts'
import { eventRoutes, eventStreamRoutes } from './events/routes.ts'
import { apiHeaders, createAdmission, limitPages } from './http/admission.ts'
import {
  type ConnectionTimings,
  defaultConnectionTimings,
  destroyFailedHandshakes,
  limitConnections,
} from './http/connections.ts'
import { createDefineOperation } from './http/define-operation.ts'
import { createDefineStream, createStreamLimiter } from './http/define-stream.ts'
import { registerHealth } from './http/health.ts'
import { ApiError, createErrorHandler } from './http/http-error.ts'
import { lingerOnClose } from './http/lingering-close.ts'
import { createOpenStreams, type StreamTimings } from './http/open-streams.ts'
import { limitPipelining } from './http/pipelining.ts'
import { createProtocolErrors, mapUnknownMethods } from './http/protocol-errors.ts'
import { createRequestIds } from './http/request-id.ts'
import { createRequestMetrics, createRequestTrace } from './http/request-metrics.ts'
import { registerSecurityTxt } from './http/security-txt.ts'
import { createTrustedProxies } from './http/trusted-proxies.ts'
import type { RequestLog } from './journal/request-log.ts'
import type { LimitStore } from './limits/rate-limit.ts'
import { allianceRoutes } from './resources/alliances/routes.ts'
import { conflictRoutes } from './resources/conflicts/routes.ts'
import { eraRoutes } from './resources/eras/routes.ts'
import { gameRoutes } from './resources/game/routes.ts'
import { marketRoutes } from './resources/market/routes.ts'
import { nationRoutes } from './resources/nations/routes.ts'
import { newsRoutes } from './resources/news/routes.ts'
import { rankingRoutes } from './resources/rankings/routes.ts'
import { warRoutes } from './resources/wars/routes.ts'
import type { Pools } from './store/pools.ts'
import type { Pulse } from './store/pulse.ts'
import type { Logger } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { verificationRoutes } from './verification/routes.ts'

/** What the developer settings work with as the API does. */
type SharedParts = 'contract' | 'pools' | 'pulse' | 'limits' | 'keyLimit' | 'log' | 'publicUrl'

export interface ApiOptions {
  contract: Contract
  pools: Pools
  pulse: Pulse
  keys: KeyCache
  limits: LimitStore
  log: Logger
  metrics: Metrics
  journal: Pick<RequestLog, 'record'>
  account: Omit<AccountParts, SharedParts>
  anonymousLimit: number
  keyLimit: number
  playerLimit: number
  streamsPerKey: number
  streamsPerAddress: number
  streamTimings: Partial<StreamTimings>
  connectionTimings: Partial<ConnectionTimings>
  trustedProxies: string[]
  tls: { cert: Buffer; key: Buffer } | undefined
  securityContact: string | undefined
  /** What callers see in front of this listener, once it listens. */
  publicUrl: () => string
  isDraining: () => boolean
}

/** The largest request line and header block, in bytes. */
const headerBytesMax = 16_384

/** Where this listener ends TLS; behind a proxy it is the proxy's to send. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' }

/** The public listener: what happens to a request, from top to bottom. */
export function buildApi(parts: ApiOptions): FastifyInstance {
  const { contract, pools, pulse, log, metrics } = parts
  const trusted = createTrustedProxies(parts.trustedProxies)
  const timings = { ...defaultConnectionTimings, ...parts.connectionTimings }
  const requestIds = createRequestIds(trusted)
  const requestTrace = createRequestTrace(log)
  const admission = createAdmission({ ...parts, requestTrace: requestTrace })
  const handleError = createErrorHandler(log)
  const requestMetrics = createRequestMetrics({ ...parts, requestTrace: requestTrace })
  const protocolErrors = createProtocolErrors(admission, requestIds, requestMetrics, {
    lingerMs: timings.lingerMs,
    fixedHeaders: parts.tls ? strictTransport : {},
  })

  /** An error outside of the API's hooks: the caller is admitted first, so that it counts and has the headers of the API. */
  const rejectUnrouted = (error: unknown, req: FastifyRequest, reply: FastifyReply): void => {
    // The limit of pages leaves that of the API alone.
    if (error instanceof ApiError && error.code === 'rate_limited') {
      handleError(error, req, reply.headers(apiHeaders))
      return
    }
    reply.raw.once('finish', () => requestMetrics.record(req, reply))
    admission.admit(req, reply, refusal => handleError(refusal ?? error, req, reply))
  }

  // What is not a request as it should be is answered beside the router: by the parser's own door, or before any route.
  const app = Fastify({
    logger: false,
    genReqId: req => requestIds.of(req),
    trustProxy: parts.trustedProxies.length > 0 ? address => trusted.includes(address) : false,
    routerOptions: { maxParamLength: headerBytesMax },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // A call that was let in is answered, also while the listener closes.
    return503OnClosing: false,
    requestTimeout: timings.requestMs,
    connectionTimeout: timings.stalledMs,
    keepAliveTimeout: timings.idleMs,
    clientErrorHandler: protocolErrors.onClientError,
    frameworkErrors: (_error, req, reply) =>
      rejectUnrouted(new ApiError('invalid_parameter', 'The path is not percent-encoded UTF-8.'), req, reply),
    ...serverOptions(parts.tls, timings),
  }) as FastifyInstance
  destroyFailedHandshakes(app.server)
  protocolErrors.listenTo(app.server)
  limitPipelining(app.server, protocolErrors.refuseToWait, timings.lingerMs)
  lingerOnClose(app.server, timings.lingerMs)
  limitConnections(app.server, {
    trusted,
    registry: metrics.registry,
    crowdedHeadMs: timings.crowdedHeadMs,
  })
  mapUnknownMethods(app)
  if (parts.tls) {
    app.server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
      for (const [name, value] of Object.entries(strictTransport)) res.setHeader(name, value)
    })
  }
  app.setErrorHandler(rejectUnrouted)

  // Beside the API: for machines that watch the service, and for people who read about it.
  registerHealth(app, parts)
  app.register(async pages => {
    pages.addHook('onRequest', limitPages(parts.limits))
    registerDocs(pages, { contract, listener: 'public', publicUrl: parts.publicUrl })
    if (parts.securityContact !== undefined)
      registerSecurityTxt(pages, { contact: parts.securityContact, publicUrl: parts.publicUrl })
  })

  // The developer settings: a page for people, and its own API behind a session.
  registerAccount(app, { ...parts, ...parts.account })

  // The API. Every request: who calls, and what is left in their bucket; then the route checks parameters, scope,
  // cache, asks its store, discloses, serializes, responds.
  app.register(async api => {
    api.setErrorHandler(handleError)
    api.addHook('onRequest', admission.admit)
    requestMetrics.watch(api)
    const define = createDefineOperation({
      app: api,
      contract,
      disclose: createDisclosure(contract),
      pulse,
      requestTrace,
    })
    const context = { pools, contract }
    nationRoutes(define, context)
    allianceRoutes(define, context)
    warRoutes(define, context)
    marketRoutes(define, context)
    rankingRoutes(define, context)
    conflictRoutes(define, context)
    eraRoutes(define, context)
    eventRoutes(define, context)
    newsRoutes(define, context)
    gameRoutes(define, context)
    keyRoutes(define, context)
    verificationRoutes(define, context)

    // Streams: the same checks; then the answer goes on until the reader leaves, or the server does.
    const streams = createOpenStreams({ ...parts, timings: parts.streamTimings })
    const limiter = createStreamLimiter({ perKey: parts.streamsPerKey, perAddress: parts.streamsPerAddress })
    api.addHook('preClose', () => streams.close())
    const defineStream = createDefineStream({ app: api, contract, streams, limiter })
    eventStreamRoutes(defineStream, {
      ...context,
      pulse,
      onDelivered: count => metrics.streamedEvents.inc(count),
    })

    // Whatever is left is an unknown path: it is counted like any other.
    api.all('/*', async () => {
      throw new ApiError('not_found')
    })
  })
  return app
}

function serverOptions(tls: ApiOptions['tls'], { headMs, checkMs }: ConnectionTimings) {
  const options = {
    // Without a Host header Node would answer by itself, without our headers and body.
    requireHostHeader: false,
    maxHeaderSize: headerBytesMax,
    headersTimeout: headMs,
    connectionsCheckingInterval: checkMs,
  }
  return tls ? { https: { ...options, ...tls, handshakeTimeout: headMs } } : { http: options }
}
