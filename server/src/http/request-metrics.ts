import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRecord } from '../access/store.ts'
import type { RateLimitState } from '../limits/rate-limit.ts'
import { addressBucket } from '../limits/rate-limit.ts'
import type { ServedRequest } from '../request-log/request-ring.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { ApiError, reasonOf } from './http-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's id, for metrics and request log: a path could contain a code. */
    operation?: string
  }
  interface FastifyReply {
    /** Records a stream when it starts, instead of when it ends. */
    recordStreamStart(): void
  }
}

export interface RequestMetricsOptions {
  metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  requestLog: { record(served: ServedRequest): void }
  requestTrace?: RequestTrace | undefined
}

/** A response that was sent without a route. */
export type UnroutedResponse = Pick<ServedRequest, 'requestId' | 'status'> & { address: string | undefined }

/** Counts responses by operation and status, and adds them to the request log. */
export interface RequestMetrics {
  /** Records the responses of all routes. */
  watch(app: FastifyInstance): void
  record(req: FastifyRequest, reply: FastifyReply): void
  recordUnrouted(response: UnroutedResponse): void
}

const noOperation = 'none'

/** Statuses that alerts use: their series start at zero, because `increase()` misses the first value of a series. */
const alertedStatuses = [401, 500, 503]

export function createRequestMetrics({
  metrics,
  requestLog,
  requestTrace,
}: RequestMetricsOptions): RequestMetrics {
  const { requests, requestSeconds } = metrics
  const startedStreams = new WeakSet<FastifyReply>()
  const begin = (operation: string) => {
    for (const status of alertedStatuses) requests.inc({ operation, status }, 0)
  }

  function record(req: FastifyRequest, reply: FastifyReply): void {
    const operation = req.routeOptions.config.operation ?? noOperation
    const status = reply.statusCode
    // Requests that were rejected before identification have no viewer.
    const { rejection } = req
    const key = req.viewer?.kind === 'key' ? req.viewer.key : undefined
    requests.inc({ operation, status })
    requestTrace?.response(req, reply)
    // One histogram for all operations costs 0.2 µs; the request log has each request.
    requestSeconds.observe(reply.elapsedTime / 1000)
    requestLog.record({
      requestId: req.id,
      keyId: key ? key.id : null,
      address: key ? '' : addressBucket(req.ip),
      operation,
      status,
      durationMs: reply.elapsedTime,
      isDeprecated: reply.hasHeader('deprecation'),
      errorCode: rejection?.code ?? null,
      errorParameter: (rejection instanceof ApiError ? rejection.parameter : null) ?? null,
    })
  }

  return {
    record: record,

    watch(app) {
      begin(noOperation)
      app.addHook('onRoute', ({ config }) => {
        if (config?.operation !== undefined) begin(config.operation)
      })
      app.decorateReply('recordStreamStart', function () {
        startedStreams.add(this)
        record(this.request, this)
      })
      app.addHook('onResponse', (req, reply, done) => {
        if (!startedStreams.has(reply)) record(req, reply)
        done()
      })
    },

    recordUnrouted({ requestId, status, address }) {
      requests.inc({ operation: noOperation, status })
      requestLog.record({
        requestId,
        keyId: null,
        address: addressBucket(address ?? ''),
        operation: noOperation,
        status,
        durationMs: 0,
        isDeprecated: false,
        errorCode: null,
        errorParameter: null,
      })
    },
  }
}

/** The source of a body: the cache, the database, or the database for this viewer alone. */
export type CacheDecision = 'hit' | 'miss' | 'private'

/** Log lines of level debug about the steps of a request. They never contain path, query or key. */
export interface RequestTrace {
  admission(
    req: FastifyRequest,
    key: KeyRecord | undefined,
    left: RateLimitState,
    rejection: Error | undefined,
  ): void
  cache(req: FastifyRequest, cache: CacheDecision, worldVersion: number | undefined): void
  response(req: FastifyRequest, reply: FastifyReply): void
}

/** Undefined above level debug, so that it costs nothing. */
export function createRequestTrace(log: Logger): RequestTrace | undefined {
  if (!log.isLevelEnabled('debug')) return undefined
  return {
    admission(req, key, { remaining }, rejection) {
      const [request_id, route, viewer] = [req.id, routeOf(req), key ? 'key' : 'anonymous']
      if (rejection)
        log.debug({ request_id, route, viewer, remaining, reason: reasonOf(rejection) }, 'request rejected')
      else log.debug({ request_id, route, viewer, remaining }, 'request admitted')
    },
    cache(req, cache, worldVersion) {
      log.debug({ request_id: req.id, cache, world_version: worldVersion }, 'response cache')
    },
    response(req, { statusCode: status, elapsedTime }) {
      log.debug(
        { request_id: req.id, route: routeOf(req), status, duration_ms: Math.round(elapsedTime) },
        'response sent',
      )
    },
  }
}

/** The pattern, because the path may contain a code. */
const routeOf = (req: FastifyRequest): string => req.routeOptions.url ?? 'unknown'
