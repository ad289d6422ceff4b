import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Contract, type DerivedList, operations } from '@chancery/contract'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { keyHandlers } from './access/handlers.ts'
import type { KeyCache } from './access/key-cache.ts'
import { registerAccount } from './account/account-api.ts'
import type { AccountParts } from './account/context.ts'
import type { ChangeHorizon } from './changes/change-horizon.ts'
import { changeHandlers, changeStreamRoutes } from './changes/handlers.ts'
import { createDisclosure } from './disclosure/disclosure.ts'
import { registerDocs, registerSecurityTxt, registerStatus, withNotFoundPage } from './docs/register-docs.ts'
import { eventHandlers, eventStreamRoutes } from './events/handlers.ts'
import { type Admission, apiHeaders, createAdmission, limitPages } from './http/admission.ts'
import { basePathOf, withoutBasePath } from './http/base-path.ts'
import {
  type ConnectionTimings,
  defaultConnectionTimings,
  destroyFailedHandshakes,
  limitConnections,
  lingerOnClose,
} from './http/connections.ts'
import {
  createDefineOperation,
  type Handler,
  type Handlers,
  itemResult,
  type JsonOperation,
  pageResult,
} from './http/define-operation.ts'
import { createDefineStream, createStreamLimiter } from './http/define-stream.ts'
import { registerHealth } from './http/health.ts'
import { ApiError, createErrorHandler, type ErrorHandler } from './http/http-error.ts'
import { createOpenStreams, type StreamTimings } from './http/open-streams.ts'
import { createProtocolErrors, limitPipelining, mapUnknownMethods } from './http/protocol-errors.ts'
import { createRequestIds } from './http/request-id.ts'
import {
  createRequestMetrics,
  createRequestTrace,
  type RequestMetrics,
  type RequestTrace,
} from './http/request-metrics.ts'
import { createTrustedProxies } from './http/trusted-proxies.ts'
import type { LimitStore } from './limits/rate-limit.ts'
import type { RequestLog } from './request-log/request-log.ts'
import { allianceHandlers } from './resources/alliances/handlers.ts'
import { listConflicts } from './resources/conflicts/store.ts'
import { readGame } from './resources/game/store.ts'
import { historyHandlers } from './resources/history/handlers.ts'
import { listPriceHistory } from './resources/market/history.ts'
import { rankResources } from './resources/market/store.ts'
import { nationHandlers } from './resources/nations/handlers.ts'
import { rankingHandlers } from './resources/rankings/handlers.ts'
import { warHandlers } from './resources/wars/handlers.ts'
import { registerSnapshots } from './snapshots/routes.ts'
import { createDerivedList, createFindItem } from './store/derived-lists.ts'
import type { ReadContext } from './store/fact-columns.ts'
import type { PageRequest } from './store/paging.ts'
import type { Pools } from './store/pools.ts'
import type { Pulse } from './store/pulse.ts'
import type { Reads } from './store/reads.ts'
import type { Logger } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { verificationHandlers } from './verification/handlers.ts'

/** Options that the developer settings share with the API. */
type SharedOptions = 'contract' | 'pools' | 'pulse' | 'limits' | 'keyLimit' | 'log' | 'publicUrl'

export interface ApiOptions {
  contract: Contract
  pools: Pools
  pulse: Pulse
  /** Public reads. */
  reads: Reads
  horizon: ChangeHorizon
  keys: KeyCache
  limits: LimitStore
  log: Logger
  metrics: Metrics
  requestLog: Pick<RequestLog, 'record'>
  account: Omit<AccountParts, SharedOptions>
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
  /** The URL of this listener as clients see it, once it is open; before, the configured one or an empty text. */
  publicUrl: () => string
  isDraining: () => boolean
}

/** The public listener: health checks, documentation, the developer settings and the public API. */
export function buildApi(options: ApiOptions): FastifyInstance {
  const { contract, limits, log, publicUrl, securityContact } = options
  const requestTrace = createRequestTrace(log)
  const admission = createAdmission({ ...options, requestTrace })
  const requestMetrics = createRequestMetrics({ ...options, requestTrace })
  const handleError = withNotFoundPage(createErrorHandler(log), options)
  const app = createListener(options, { admission, requestMetrics, handleError })

  // Not rate-limited, not counted.
  registerHealth(app, options)

  app.register(async pages => {
    pages.addHook('onRequest', limitPages(limits))
    registerDocs(pages, { contract, listener: 'public', publicUrl })
    registerStatus(pages, options)
    if (securityContact !== undefined) registerSecurityTxt(pages, { contact: securityContact, publicUrl })
  })

  // The settings page, and its own API with a session cookie.
  registerAccount(app, { ...options, ...options.account })

  app.register(async api => {
    api.setErrorHandler(handleError)
    // Identify and limit. The next steps of a request are in http/define-operation.ts.
    api.addHook('onRequest', admission.admit)
    requestMetrics.watch(api)
    registerOperations(api, { ...options, requestTrace })
    registerSnapshots(api, { db: options.pools.public, publicUrl })
    // Unknown paths are limited and counted as well.
    api.all('/*', async () => {
      throw new ApiError('not_found')
    })
  })
  return app
}

/** The operations of the public API. */
function registerOperations(
  app: FastifyInstance,
  options: ApiOptions & { requestTrace: RequestTrace | undefined },
): void {
  const { contract, pools, pulse, reads, metrics, horizon } = options
  const context = { pools, contract, horizon }

  const define = createDefineOperation({ ...options, app, disclose: createDisclosure(contract) })
  // Each database server has handlers of its own: a response comes from one of them, and never from two states.
  const servers = reads.pools.map(own => {
    const context = { contract, horizon, pools: { ...pools, ...own } }
    return { context, handlers: createHandlers(context) }
  })
  const { eventsStream: _events, changesStream: _changes, ...jsonOperations } = operations
  for (const [name, operation] of Object.entries(jsonOperations)) {
    const ofServers = servers.map(
      ({ context, handlers }) =>
        (handlers[name as keyof Handlers] ?? listDerived(context, operation)) as Handler<JsonOperation>,
    )
    define<JsonOperation>(operation, input => {
      const handler = ofServers[input.server]
      if (!handler) throw new Error(`there is no database server ${input.server}`)
      return handler(input)
    })
  }

  const streams = createOpenStreams({ ...options, timings: options.streamTimings })
  app.addHook('preClose', () => streams.close())
  const limiter = createStreamLimiter({
    perKey: options.streamsPerKey,
    perAddress: options.streamsPerAddress,
  })
  const defineStream = createDefineStream({ app, contract, streams, limiter })
  const onDelivered = (count: number) => metrics.streamedEvents.inc(count)
  eventStreamRoutes(defineStream, { ...context, pulse, onDelivered })
  changeStreamRoutes(defineStream, { ...context, onDelivered })
}

/** The handler of a list whose query is derived from the contract. */
function listDerived(context: ReadContext, operation: JsonOperation | DerivedList): Handler<JsonOperation> {
  if (!('order' in operation)) throw new Error(`${operation.id} has no handler`)
  const list = createDerivedList(context, operation)
  return async ({ values, disclose }) =>
    pageResult(disclose, operation.resource, await list(values as Partial<PageRequest> as PageRequest))
}

/** The handlers of the public API. An operation without one does not compile, except a list whose query is derived. */
function createHandlers(context: Pick<ApiOptions, 'contract' | 'pools' | 'horizon'>): Handlers {
  const findTreaty = createFindItem(context, 'treaty')
  return {
    ...nationHandlers(context),
    ...allianceHandlers(context),
    ...warHandlers(context),
    ...rankingHandlers(context),
    ...historyHandlers(context),
    ...eventHandlers(context),
    ...changeHandlers(context),
    ...keyHandlers(context),
    ...verificationHandlers(context),
    gameGet: async ({ disclose }) => itemResult(disclose, 'game', await readGame(context)),
    treatiesGet: async ({ values: { id }, disclose }) => itemResult(disclose, 'treaty', await findTreaty(id)),
    conflictsList: async ({ values, disclose }) =>
      pageResult(disclose, 'conflict', await listConflicts(context, values)),
    marketHistory: async ({ values, disclose }) =>
      pageResult(disclose, 'price_history_point', await listPriceHistory(context, values)),
    marketRankings: async ({ values, disclose }) =>
      pageResult(disclose, 'market_ranking', await rankResources(context, values)),
  }
}

/** The largest request line and header block, in bytes. */
const headerBytesMax = 16_384

/** Sent where this listener terminates TLS; otherwise the proxy in front of it has to. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' }

/** The HTTP server: connections, timeouts, TLS, and errors in requests that reach no route. */
function createListener(
  { metrics, tls, trustedProxies, connectionTimings, publicUrl }: ApiOptions,
  {
    admission,
    requestMetrics,
    handleError,
  }: { admission: Admission; requestMetrics: RequestMetrics; handleError: ErrorHandler },
): FastifyInstance {
  const basePath = basePathOf(publicUrl())
  const rewritten: Pick<FastifyServerOptions, 'rewriteUrl'> =
    basePath === '' ? {} : { rewriteUrl: ({ url = '/' }) => withoutBasePath(basePath, url) }
  const trusted = createTrustedProxies(trustedProxies)
  const requestIds = createRequestIds(trusted)
  const timings = { ...defaultConnectionTimings, ...connectionTimings }
  const { lingerMs, crowdedHeadMs } = timings
  const protocolErrors = createProtocolErrors(admission, requestIds, requestMetrics, {
    lingerMs,
    fixedHeaders: tls ? strictTransport : {},
  })

  /**
   * Sends an error of a request that matches no route of the API. Requests that reached no hook are authenticated and limited here, so that
   * they are counted.
   */
  const handleErrorOutsideApi = (error: unknown, req: FastifyRequest, reply: FastifyReply): void => {
    // The page limit is separate from that of the API.
    if (error instanceof ApiError && error.code === 'rate_limited') {
      handleError(error, req, reply.headers(apiHeaders))
      return
    }
    reply.raw.once('finish', () => requestMetrics.record(req, reply))
    admission.admit(req, reply, rejection => handleError(rejection ?? error, req, reply))
  }

  const app = Fastify({
    logger: false,
    genReqId: req => requestIds.of(req),
    trustProxy: trustedProxies.length > 0 ? address => trusted.includes(address) : false,
    routerOptions: { maxParamLength: headerBytesMax },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Requests that were admitted are served while the listener closes.
    return503OnClosing: false,
    requestTimeout: timings.requestMs,
    connectionTimeout: timings.stalledMs,
    keepAliveTimeout: timings.idleMs,
    clientErrorHandler: protocolErrors.onClientError,
    frameworkErrors: (_error, req, reply) =>
      handleErrorOutsideApi(
        new ApiError('invalid_parameter', 'The path is not percent-encoded UTF-8.'),
        req,
        reply,
      ),
    ...serverOptions(tls, timings),
    ...rewritten,
  }) as FastifyInstance
  app.setErrorHandler(handleErrorOutsideApi)
  destroyFailedHandshakes(app.server)
  const lastResponse = limitPipelining(app.server, protocolErrors.rejectPipelining, lingerMs)
  protocolErrors.listenTo(app.server, lastResponse)
  lingerOnClose(app.server, lingerMs)
  limitConnections(app.server, { trusted, registry: metrics.registry, crowdedHeadMs })
  mapUnknownMethods(app)
  if (tls) {
    app.server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
      for (const [name, value] of Object.entries(strictTransport)) res.setHeader(name, value)
    })
  }
  return app
}

function serverOptions(tls: ApiOptions['tls'], { headMs, checkMs }: ConnectionTimings) {
  const options = {
    // Node would reject a request without Host by itself, without our headers and body.
    requireHostHeader: false,
    maxHeaderSize: headerBytesMax,
    headersTimeout: headMs,
    connectionsCheckingInterval: checkMs,
  }
  return tls ? { https: { ...options, ...tls, handshakeTimeout: headMs } } : { http: options }
}
