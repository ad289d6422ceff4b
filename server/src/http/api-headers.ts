import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimitState } from '../limits/rate-limit.ts'

/** Any origin may read the API without credentials: keys are sent in a header, never as a cookie. */
const fixedHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-reason, retry-after, x-request-id, etag, www-authenticate, deprecation, sunset, date, link',
  'x-content-type-options': 'nosniff',
} as const

/** The headers of every response of the API. `limit` is unknown where the limit store has failed. */
export const apiHeaders = (requestId: string, limit?: RateLimitState): Record<string, string> => ({
  ...fixedHeaders,
  'x-request-id': requestId,
  ...(limit && {
    'x-ratelimit-limit': String(limit.limit),
    'x-ratelimit-remaining': String(limit.remaining),
    'x-ratelimit-reset': String(Math.ceil(limit.resetAt / 1000)),
  }),
})

export const setApiHeaders = (req: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers(apiHeaders(req.id, req.rateLimit))
