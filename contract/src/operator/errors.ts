/** Every error of the operator API: its HTTP status, what happened, and what to do next. */
export const operatorErrors = {
  bad_request: {
    status: 400,
    description: 'Invalid request; the message says what is wrong and where.',
    fix: 'Correct what the message names. An unchanged request is rejected again.',
  },
  invalid_api_key: {
    status: 401,
    description: 'The operator token is missing, malformed, unknown, expired or revoked.',
    fix: 'Send `Authorization: Bearer <token>` with a valid token.',
  },
  insufficient_role: {
    status: 403,
    description: 'The token lacks the role that the message names.',
    fix: 'Use a token that has the role, or create one with `chancery tokens create`.',
  },
  not_found: {
    status: 404,
    description: 'Not found: unknown path, method or id.',
    fix: 'Check the method, the path and the id.',
  },
  conflict: {
    status: 409,
    description: 'The request conflicts with an existing resource, which the message names.',
    fix: 'Do what the message says, then try again.',
  },
  internal_error: {
    status: 500,
    description: 'The service failed to process the request.',
    fix: 'Look for the request id in the log of the service.',
  },
  unavailable: {
    status: 503,
    description: 'A required service (usually the database) is temporarily unavailable.',
    fix: 'Try again after the number of seconds in retry-after.',
  },
} as const

export type OperatorErrorCode = keyof typeof operatorErrors
