/** Errors of the account API: the HTTP status, and what happened. */
export const accountErrors = {
  invalid_request: {
    status: 400,
    description: 'Invalid request; the message says what is wrong.',
  },
  session_required: {
    status: 401,
    description: 'You are not signed in, or your session has ended. Sign in again from the game.',
  },
  cross_site: {
    status: 403,
    description: 'The request did not come from this page. Reload it and try again.',
  },
  not_found: { status: 404, description: 'You have no such item.' },
  method_not_allowed: { status: 405, description: 'Method not allowed; see the Allow header.' },
  handover_invalid: {
    status: 410,
    description: 'This link was used or is older than a minute. Get a new one from the game.',
  },
  too_many: { status: 409, description: 'You have reached the limit.' },
  rate_limited: { status: 429, description: 'Too many requests. Wait a moment.' },
  internal_error: { status: 500, description: 'Internal error. Report the request id.' },
  unavailable: { status: 503, description: 'A required service is temporarily unavailable. Try again.' },
} as const

export type AccountErrorCode = keyof typeof accountErrors
