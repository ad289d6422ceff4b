/** Every error that the operator listener answers: its HTTP status, what happened, and what to do next. */
export const operatorErrors = {
  bad_request: {
    status: 400,
    description: 'The request is not as the operation takes it. The message says what is wrong, and where.',
    fix: 'Correct what the message names; sent again as it is, it is refused again.',
  },
  invalid_api_key: {
    status: 401,
    description: 'The operator token is missing, malformed, unknown, expired or revoked.',
    fix: 'Send `Authorization: Bearer <token>` with a token that is valid.',
  },
  insufficient_role: {
    status: 403,
    description: 'The token lacks the role that the message names.',
    fix: 'Use a token that has the role, or make one with `chancery tokens create`.',
  },
  not_found: {
    status: 404,
    description: 'Nothing is here: an unknown path or method, or an id that names nothing.',
    fix: 'Check the method, the path and the id.',
  },
  conflict: {
    status: 409,
    description: 'Something that is there stands in the way. The message names it.',
    fix: 'Do what the message says first.',
  },
  internal_error: {
    status: 500,
    description: 'Something failed on our side.',
    fix: 'Look for the request id in the log of the service.',
  },
  unavailable: {
    status: 503,
    description: 'A part that the answer needs, as a rule the database, is away for the moment.',
    fix: 'Try again after the seconds that retry-after states.',
  },
} as const

export type OperatorErrorCode = keyof typeof operatorErrors
