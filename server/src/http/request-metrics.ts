import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRecord } from '../access/store.ts'
import type { ServedRequest } from '../journal/request-ring.ts'
import type { RateLimitState } from '../limits/rate-limit.ts'
import { addressBucket } from '../limits/rate-limit.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { reasonOf } from './http-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's id, for metrics and journal: a path could hold a code. */
    operation?: string
  }
  interface FastifyReply {
    /** For an answer that goes on for long: counts it when it begins, and not again when it ends. */
    recordStreamStart(): void
  }
}

export interface RequestMetricsOptions {
  metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  journal: { record(served: ServedRequest): void }
  requestTrace?: RequestTrace | undefined
}

/** What was answered beside the router. */
export type UnroutedResponse = Pick<ServedRequest, 'requestId' | 'status'> & { address: string | undefined }

/** Counts every answer by operation and status, and notes it in the journal. */
export interface RequestMetrics {
  /** Observes the answers of all routes. */
  watch(app: FastifyInstance): void
  record(req: FastifyRequest, reply: FastifyReply): void
  recordUnrouted(answer: UnroutedResponse): void
}

const noOperation = 'none'

/** What alerts ask for. A series that begins with its first failure has no increase that could be seen: these begin at zero. */
const alertedStatuses = [401, 500, 503]

export function createRequestMetrics({
  metrics,
  journal,
  requestTrace,
}: RequestMetricsOptions): RequestMetrics {
  const { requests, requestSeconds } = metrics
  const opened = new WeakSet<FastifyReply>()
  const begin = (operation: string) => {
    for (const status of alertedStatuses) requests.inc({ operation, status }, 0)
  }

  function record(req: FastifyRequest, reply: FastifyReply): void {
    const operation = req.routeOptions.config.operation ?? noOperation
    const status = reply.statusCode
    // Not everybody who is answered has been let in as far as to be a viewer.
    const key = req.viewer?.kind === 'key' ? req.viewer.key : undefined
    requests.inc({ operation, status })
    requestTrace?.response(req, reply)
    // Of all operations together, for 0.2 µs of processor time: the journal has each call.
    requestSeconds.observe(reply.elapsedTime / 1000)
    journal.record({
      requestId: req.id,
      keyId: key ? key.id : null,
      address: key ? '' : addressBucket(req.ip),
      operation,
      status,
      durationMs: reply.elapsedTime,
      isDeprecated: reply.hasHeader('deprecation'),
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
        opened.add(this)
        record(this.request, this)
      })
      app.addHook('onResponse', (req, reply, done) => {
        if (!opened.has(reply)) record(req, reply)
        done()
      })
    },

    recordUnrouted({ requestId, status, address }) {
      requests.inc({ operation: noOperation, status })
      journal.record({
        requestId,
        keyId: null,
        address: addressBucket(address ?? ''),
        operation: noOperation,
        status,
        durationMs: 0,
        isDeprecated: false,
      })
    },
  }
}

/** Where a body came from: the cache, the database for this request, or the database for this viewer alone. */
export type CacheDecision = 'hit' | 'miss' | 'private'

/** The lines of level debug that follow a request through the API. Never its path, its query or its key. */
export interface RequestTrace {
  admission(
    req: FastifyRequest,
    key: KeyRecord | undefined,
    left: RateLimitState,
    refusal: Error | undefined,
  ): void
  cache(req: FastifyRequest, cache: CacheDecision, worldVersion: number | undefined): void
  response(req: FastifyRequest, reply: FastifyReply): void
}

/** Undefined where the level is above debug, so that a request costs nothing more. */
export function createRequestTrace(log: Logger): RequestTrace | undefined {
  if (!log.isLevelEnabled('debug')) return undefined
  return {
    admission(req, key, { remaining }, refusal) {
      log.debug(
        {
          request_id: req.id,
          route: routeOf(req),
          viewer: key ? 'key' : 'anonymous',
          remaining,
          reason: refusal && reasonOf(refusal),
        },
        'request admitted or refused',
      )
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

/** The route's pattern: the path may hold a code. */
const routeOf = (req: FastifyRequest): string => req.routeOptions.url ?? 'unknown'
