import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRecord } from '../access/store.ts'
import type { RateLimitState } from '../limits/rate-limit.ts'
import type { Logger } from '../telemetry/log.ts'
import { reasonOf } from './errors.ts'

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
