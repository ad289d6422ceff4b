import type { ErrorCode } from './api-types.ts'

/**
 * Errors of the client itself.
 * - `network_error`: no complete response was received.
 * - `timeout`: no response was received in time.
 * - `unexpected_response`: the response is not one of Chancery: a proxy's page, a redirect, invalid JSON.
 */
export type ClientErrorCode = 'network_error' | 'timeout' | 'unexpected_response'

/** Known codes, and any other: codes may be added. */
export type ChanceryErrorCode = ErrorCode | ClientErrorCode | (string & {})

export interface ChanceryErrorDetails {
  code: ChanceryErrorCode
  status?: number | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/** A failed request. The message states what to do next; it never contains a key or a code. */
export class ChanceryError extends Error {
  override name = 'ChanceryError'
  readonly code: ChanceryErrorCode
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined
  /** Whole seconds to wait before the next request, if the server sent Retry-After. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, status, requestId, retryAfter, cause }: ChanceryErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/**
 * The log does not contain the events after the given `seq`: they have expired, or belong to an earlier world.
 * Public API: the name has no `Error` at its end because it is that of the error code `cursor_expired`, and stays for compatibility.
 */
export class CursorExpired extends ChanceryError {
  override name = 'CursorExpired'
}

/** A response with a status of the API, but not of its form. */
export const invalidResponse = (message: string, status = 200): ChanceryError =>
  new ChanceryError(message, { code: 'unexpected_response', status })
