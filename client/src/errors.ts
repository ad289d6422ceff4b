import type { ErrorCode } from './api-types.ts'

/**
 * What goes wrong on the way.
 * - `network_error`: no whole answer came.
 * - `timeout`: none came in time.
 * - `unexpected_answer`: what answered does not speak as a Chancery does: a proxy's page, a redirect, broken JSON.
 */
export type ClientErrorCode = 'network_error' | 'timeout' | 'unexpected_answer'

/** Codes may be added: the type names those that are known, and takes any. */
export type ChanceryErrorCode = ErrorCode | ClientErrorCode | (string & {})

export interface ChanceryErrorNotes {
  code: ChanceryErrorCode
  status?: number | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/** A call that failed. The message says what to do next; it never holds a key or a code. */
export class ChanceryError extends Error {
  override name = 'ChanceryError'
  readonly code: ChanceryErrorCode
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined
  /** Whole seconds to wait before the next call, where the server said so. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, status, requestId, retryAfter, cause }: ChanceryErrorNotes) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** The log does not hold what came after the given `seq`: too long ago, or of a world that is no more. */
export class CursorExpired extends ChanceryError {
  override name = 'CursorExpired'
}
