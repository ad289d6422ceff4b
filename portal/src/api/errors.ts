/** What the server refused, in its own words. `code` is null for an answer that is not an error of ours. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  /** How long to wait before asking again; null where the server does not say. */
  readonly retryAfterSeconds: number | null

  constructor(
    message: string,
    facts: {
      status: number
      code: string | null
      requestId: string | null
      retryAfterSeconds: number | null
    },
  ) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401
export const isLimited = (error: unknown) => error instanceof ApiError && error.status === 429

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const textOr = (value: unknown, otherwise: string | null) => (typeof value === 'string' ? value : otherwise)

/** Reads a refusal. A proxy in between may answer with something that is not JSON. */
export async function readError(res: Response): Promise<ApiError> {
  const body: unknown = await res.json().catch(() => null)
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const seconds = Number(res.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(textOr(error.message, null) ?? `The server answered ${res.status}.`, {
    status: res.status,
    code: textOr(error.code, null),
    requestId: textOr(error.request_id, res.headers.get('x-request-id')),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  })
}
