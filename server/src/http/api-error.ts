import { type ErrorCode, errors, type RateLimitReason, type Scope } from '@chancery/contract'

/** A failure that the caller is told of. The message says what to do next and quotes no secret. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? `${errors[code].description} ${errors[code].fix}`)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return errors[this.code].status
  }
}

export const missingScope = (scope: Scope): ApiError =>
  new ApiError('insufficient_scope', `This key lacks the scope ${scope}. Make a key that holds it.`, {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  })

export const notFound = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`)

export const rateLimited = (reason: RateLimitReason, retryAfterSeconds: number, message: string): ApiError =>
  new ApiError('rate_limited', message, {
    'retry-after': String(retryAfterSeconds),
    'x-ratelimit-reason': reason,
  })
