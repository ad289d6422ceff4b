import { errors, limits, type RateLimitReason, type Scope } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isUnavailable } from '../store/database.ts'

/** An error in a contract's table: HTTP status, what happened, and what to do next. */
interface ContractError {
  status: number
  description: string
  fix?: string
}

/** A failure that is reported to the client. The message says what to do next and quotes no secret. */
export class HttpError<Code extends string = string> extends Error {
  readonly status: number
  readonly code: Code
  readonly headers: Readonly<Record<string, string>>
  /** The member of the request body that is wrong, where the contract's errors name it. */
  readonly field?: string | undefined

  constructor(status: number, code: Code, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** The error class of a contract, by its table: `class OperatorError extends contractError(operatorErrors) {}`. */
export const contractError = <Code extends string>(table: Readonly<Record<Code, ContractError>>) =>
  class extends HttpError<Code> {
    constructor(code: Code, message?: string, headers?: Readonly<Record<string, string>>) {
      const { status, description, fix } = table[code]
      super(status, code, message ?? (fix === undefined ? description : `${description} ${fix}`), headers)
    }
  }

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that was sent, for the request log. */
    rejection?: HttpError
  }
}

/** An error of the public API. */
export class ApiError extends contractError(errors) {
  /**
   * The parameter that is wrong, by its name in the contract: never a name as it was sent. One whose name was misspelled ends in `?`.
   */
  readonly parameter: string | undefined

  constructor(
    code: keyof typeof errors,
    message?: string,
    headers?: Readonly<Record<string, string>>,
    parameter?: string,
  ) {
    super(code, message, headers)
    this.parameter = parameter
  }
}

/** A parameter has an invalid value. `parameter` is its name in the contract, or nearly a known name, which is followed by `?`. */
export const invalidParameter = (parameter: string, message: string): ApiError =>
  new ApiError('invalid_parameter', message, {}, parameter)

export const missingScope = (scope: Scope): ApiError =>
  new ApiError('insufficient_scope', `This key lacks the scope ${scope}. Use a key with this scope.`, {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  })

export const notFound = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`)

export const rateLimited = (reason: RateLimitReason, retryAfterSeconds: number, message: string): ApiError =>
  new ApiError('rate_limited', message, {
    'retry-after': String(retryAfterSeconds),
    'x-ratelimit-reason': reason,
  })

const unavailable = () =>
  new ApiError('unavailable', undefined, { 'retry-after': String(limits.retryAfterUnavailableSeconds) })

/** The body of every error response, on every listener. */
export const errorBody = (
  { code, message, field }: Pick<HttpError, 'code' | 'message' | 'field'>,
  requestId: string,
): string =>
  JSON.stringify({ error: { code, message, ...(field !== undefined && { field }), request_id: requestId } })

export function sendError(reply: FastifyReply, error: HttpError): FastifyReply {
  reply.request.rejection = error
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

export type ErrorHandler = (error: unknown, req: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Sends an error: what `translate` makes of it, where a contract has codes of its own, else an HttpError as it is, 503 where the database
 * is unavailable, and 500 for the rest. Errors of 500 and above are logged; a 500 returns only its request id.
 */
export function createErrorHandler(
  log: Logger,
  translate: (error: unknown) => HttpError | undefined = () => undefined,
): ErrorHandler {
  return (error, req, reply) => {
    const sent = translate(error) ?? toHttpError(error)
    if (sent.status >= 500) {
      const isUnexpected = sent.code === 'internal_error'
      log[isUnexpected ? 'error' : 'warn'](
        {
          request_id: req.id,
          // The pattern, because the path may contain a code and the query a secret.
          route: req.routeOptions.url ?? 'unknown',
          reason: reasonOf(error),
          stack: isUnexpected ? stackOf(error) : undefined,
        },
        'a request failed',
      )
    }
    return sendError(reply, sent)
  }
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  return isUnavailable(error) ? unavailable() : new ApiError('internal_error')
}

/** SQLSTATEs of values that a client can send and that no schema excludes. */
const invalidValueStates: Readonly<Record<string, string>> = {
  '22021': 'A text contains a NUL character.',
  '22007': 'A time is malformed.',
  '22008': 'A time is out of range.',
}

/** Describes an error that the request's own body or values caused; undefined for any other. Quotes nothing of the request. */
export function describeInvalidRequest(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'The body is too large.'
  if (statusCode >= 400 && statusCode < 500) return 'The body is not valid JSON.'
  return invalidValueStates[code]
}

/** The kind of an error, for the log. Not its message: a database quotes values in it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

/** Where an error was thrown, without its message. */
function stackOf(error: unknown): string | undefined {
  return error instanceof Error
    ? error.stack
        ?.split('\n')
        .filter(line => /^\s+at /.test(line))
        .slice(0, 8)
        .join('\n')
    : undefined
}
