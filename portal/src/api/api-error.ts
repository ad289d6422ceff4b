interface ErrorDetails {
  status: number
  code: string | null
  requestId: string | null
  /** The field of the request that is wrong; null where the error is not about one. */
  field?: string | null
  /** How long to wait before retrying; null where the server does not say. */
  retryAfterSeconds: number | null
}

/** An error response. `code` is null for a response that is not one of Chancery's errors; `status` is 0 without a response. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  readonly field: string | null
  readonly retryAfterSeconds: number | null

  constructor(message: string, { status, code, requestId, field = null, retryAfterSeconds }: ErrorDetails) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.field = field
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401
export const isRateLimited = (error: unknown) => error instanceof ApiError && error.status === 429

export const unreachableError = () =>
  new ApiError('The server cannot be reached. Check your connection and try again.', {
    status: 0,
    code: null,
    requestId: null,
    retryAfterSeconds: null,
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const textOr = (value: unknown, otherwise: string | null) => (typeof value === 'string' ? value : otherwise)

/** The message of an error about a field of the request; undefined for any other. */
export const fieldErrorOf = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError && error.field === field ? error.message : undefined

/** Reads an error response. The body of a proxy's response may not be JSON. */
export async function readError(res: Response): Promise<ApiError> {
  const body: unknown = await res.json().catch(() => null)
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const seconds = Number(res.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(textOr(error.message, null) ?? `The server responded with status ${res.status}.`, {
    status: res.status,
    code: textOr(error.code, null),
    field: textOr(error.field, null),
    requestId: textOr(error.request_id, res.headers.get('x-request-id')),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  })
}
