import { limits } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isUnavailable } from '../store/database.ts'
import { ApiError } from './api-error.ts'

/** A failure that a caller is told of, whichever listener's. */
export interface Failure {
  status: number
  code: string
  message: string
  headers: Readonly<Record<string, string>>
}

/** The one shape of every error answer. */
export const errorBody = ({ code, message }: Pick<Failure, 'code' | 'message'>, requestId: string): string =>
  JSON.stringify({ error: { code, message, request_id: requestId } })

export function sendError(reply: FastifyReply, error: Failure): FastifyReply {
  return reply
    .code(error.status)
    .headers({
      ...error.headers,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    .removeHeader('etag')
    .send(errorBody(error, reply.request.id))
}

/** A part that is away is 503; what nobody expected is 500, says only its request id, and goes to the log. */
export function createErrorHandler(log: Logger) {
  return (error: unknown, req: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = toApiError(error)
    if (known.status >= 500) {
      // The path may hold a code and the query a secret: the route's pattern says enough.
      const route = req.routeOptions.url ?? 'unknown'
      log[known.code === 'internal_error' ? 'error' : 'warn'](
        {
          request_id: req.id,
          route,
          reason: reasonOf(error),
          stack: known.code === 'internal_error' ? stackOf(error) : undefined,
        },
        'a request failed',
      )
    }
    return sendError(reply, known)
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) {
    return new ApiError('unavailable', undefined, {
      'retry-after': String(limits.retryAfterUnavailableSeconds),
    })
  }
  return new ApiError('internal_error')
}

/** The kind of an error, for the log. Not its message: a database quotes values in it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

/** Where it happened, without the message. */
function stackOf(error: unknown): string | undefined {
  return error instanceof Error
    ? error.stack
        ?.split('\n')
        .filter(line => /^\s+at /.test(line))
        .slice(0, 8)
        .join('\n')
    : undefined
}
