/** What the page's own API refuses with: the HTTP status, and what happened. */
export const accountErrors = {
  invalid_request: {
    status: 400,
    description: 'The request is not as it should be. The message says what is wrong.',
  },
  session_required: {
    status: 401,
    description: 'Nobody is signed in, or the session has ended. Sign in again from the game.',
  },
  cross_site: {
    status: 403,
    description: 'The request does not come from this page. Reload it and try again.',
  },
  not_found: { status: 404, description: 'There is no such thing among yours.' },
  method_not_allowed: { status: 405, description: 'This is not done to it; the Allow header lists what is.' },
  handover_invalid: {
    status: 410,
    description: 'This link was used, or is older than a minute. Go back to the game for a new one.',
  },
  too_many: { status: 409, description: 'There are as many as there may be.' },
  rate_limited: { status: 429, description: 'That was a lot at once. Wait a moment.' },
  internal_error: { status: 500, description: 'Something failed on our side. Quote the request id.' },
  unavailable: { status: 503, description: 'A part that this needs is away for the moment. Try again.' },
} as const

export type AccountErrorCode = keyof typeof accountErrors
