import { strictObject, text } from '../shared-schemas.ts'

/** Every error of the public API: its HTTP status, what happened, and what to do next. */
export const errors = {
  invalid_parameter: {
    status: 400,
    description: 'A parameter is malformed, out of range, given twice or misspelled. The message names it.',
    fix: 'Correct the parameter that the message names.',
  },
  bad_request: {
    status: 400,
    description: 'The request is not valid HTTP/1.1.',
    fix: 'Send a well-formed HTTP/1.1 request with one Host header.',
  },
  api_key_required: {
    status: 401,
    description: 'This request requires an API key, and none was sent.',
    fix: 'Send `Authorization: Bearer <API_KEY>`.',
  },
  invalid_api_key: {
    status: 401,
    description:
      'The key is malformed, unknown, revoked or expired. Requests with a bad key are rejected, never served as anonymous.',
    fix: 'Check the key for typos, or create a new one in the developer settings.',
  },
  insufficient_scope: {
    status: 403,
    description: 'The key lacks the scope that the message names.',
    fix: 'Use a key that has the scope.',
  },
  not_entitled: {
    status: 403,
    description: 'The key has the scope, but its player may not see this in the game at present.',
    fix: 'A leader of the alliance must grant the permission in the game.',
  },
  not_found: {
    status: 404,
    description: 'Not found: unknown path or unknown id.',
    fix: 'Check the path and the id.',
  },
  verification_code_unknown: {
    status: 404,
    description: 'The verification code is unknown.',
    fix: 'The player must check the code, or create a new one.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The API is read-only; the Allow header lists the supported methods.',
    fix: 'Use GET.',
  },
  request_timeout: {
    status: 408,
    description: 'The request did not arrive in time.',
    fix: 'Send the whole request at once.',
  },
  verification_code_expired: {
    status: 410,
    description: 'The verification code is older than 10 minutes.',
    fix: 'The player must create a new one.',
  },
  verification_code_used: {
    status: 410,
    description: 'The verification code has already been redeemed.',
    fix: 'The player must create a new one.',
  },
  cursor_expired: {
    status: 410,
    description:
      'The number of an event or a change in `after` or Last-Event-ID has expired, does not exist yet, or was lost in a restore.',
    fix: 'Events: read /events without `after`, and continue from the newest `seq`. Changes: take the newest snapshot, and continue from its `change_seq`.',
  },
  range_not_satisfiable: {
    status: 416,
    description: 'The range begins beyond the end of the file: content-range has its size.',
    fix: 'Send a range within the file, or none. A file of this size that was loaded before is complete.',
  },
  expectation_failed: {
    status: 417,
    description: 'The Expect header has a value other than 100-continue.',
    fix: 'Omit the Expect header.',
  },
  rate_limited: {
    status: 429,
    description:
      'Rate limit, stream limit or pipelining limit reached: x-ratelimit-reason states which. It resets automatically; you are never banned.',
    fix: 'Wait for the number of seconds in retry-after.',
  },
  headers_too_large: {
    status: 431,
    description: 'The URL or the header block is too long.',
    fix: 'Send fewer or shorter headers and parameters.',
  },
  internal_error: {
    status: 500,
    description: 'The service failed to process the request.',
    fix: 'Try again. If it persists, report the request id.',
  },
  unavailable: {
    status: 503,
    description: 'A required service (usually the database) is temporarily unavailable.',
    fix: 'Try again after the number of seconds in retry-after.',
  },
} as const

/** Which limit a 429 reports: calls in a window, open streams, or pipelined requests on one connection. */
export const rateLimitReasons = ['calls', 'streams', 'pipelining'] as const
export type RateLimitReason = (typeof rateLimitReasons)[number]

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors) as ErrorCode[]

/** The body of every error response. */
export const errorBody = strictObject(
  {
    error: strictObject({
      code: text(64, { description: 'Machine-readable code.', example: 'insufficient_scope' }),
      message: text(1000, {
        description: 'What happened and what to do next, for humans.',
        example: 'This key lacks the scope military.read.',
      }),
      request_id: text(64, {
        description: 'The value of the x-request-id response header. Quote it when reporting a problem.',
        example: 'req_3f9c2ab81d5e4f60',
      }),
    }),
  },
  { description: 'An error.' },
)
