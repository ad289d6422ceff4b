import { strictObject, text } from '../shared-schemas.ts'

/** Every error that the API answers: its HTTP status, what happened, and what to do next. */
export const errors = {
  invalid_parameter: {
    status: 400,
    description: 'A parameter is malformed, out of range, given twice or misspelled. The message names it.',
    fix: 'Correct the parameter that the message names.',
  },
  bad_request: {
    status: 400,
    description: 'The request is not HTTP as it should be.',
    fix: 'Send a well-formed HTTP/1.1 request with one Host header.',
  },
  api_key_required: {
    status: 401,
    description: 'This operation reads the data of a key’s owner, and no key was sent.',
    fix: 'Send `Authorization: Bearer <API_KEY>`.',
  },
  invalid_api_key: {
    status: 401,
    description: 'The key is malformed, unknown, revoked or expired. It is never treated as no key.',
    fix: 'Check the key for typos, or make a new one in the developer settings.',
  },
  insufficient_scope: {
    status: 403,
    description: 'The key lacks the scope that the message names.',
    fix: 'Make a key that holds the scope.',
  },
  not_entitled: {
    status: 403,
    description: 'The key holds the scope, but its player may not see this in the game now.',
    fix: 'Ask whoever leads the alliance for the in-game permission.',
  },
  not_found: {
    status: 404,
    description: 'Nothing is here: an unknown path, or an id that names nothing.',
    fix: 'Check the path and the id.',
  },
  verification_code_unknown: {
    status: 404,
    description: 'No such verification code.',
    fix: 'Ask the player to check the code, or to make a new one.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The API is read-only; the Allow header lists what is possible.',
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
    fix: 'Ask the player to make a new one.',
  },
  verification_code_used: {
    status: 410,
    description: 'The verification code was redeemed before.',
    fix: 'Ask the player to make a new one.',
  },
  cursor_expired: {
    status: 410,
    description:
      'The log no longer, or not yet, holds the number given as `after` or Last-Event-ID; or what it stood for was lost when a backup was restored.',
    fix: 'Read /events without `after`, and go on from the newest `seq`.',
  },
  expectation_failed: {
    status: 417,
    description: 'The Expect header asks for something other than 100-continue.',
    fix: 'Leave the Expect header out.',
  },
  rate_limited: {
    status: 429,
    description:
      'Too many calls, open streams or pipelined requests: x-ratelimit-reason states which. It resets by itself and never becomes a ban.',
    fix: 'Wait for the seconds that retry-after states.',
  },
  headers_too_large: {
    status: 431,
    description: 'The URL or the header block is too long.',
    fix: 'Send fewer or shorter headers and parameters.',
  },
  internal_error: {
    status: 500,
    description: 'Something failed on our side.',
    fix: 'Try again; when it stays, report the request id.',
  },
  unavailable: {
    status: 503,
    description: 'A part that the answer needs is away for the moment.',
    fix: 'Try again after the seconds that retry-after states.',
  },
} as const

/** Which limit a 429 is about: calls in a window, open streams, or requests that wait on one connection. */
export const rateLimitReasons = ['calls', 'streams', 'pipelining'] as const
export type RateLimitReason = (typeof rateLimitReasons)[number]

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors) as ErrorCode[]

/** The body of every error answer. */
export const errorBody = strictObject(
  {
    error: strictObject({
      code: text(64, { description: 'Machine-readable code.', example: 'insufficient_scope' }),
      message: text(1000, {
        description: 'What happened and what to do next, for people.',
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
