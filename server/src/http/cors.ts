/** Any origin may read, with no credentials: keys are sent as a header, on purpose, never as a cookie. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id, etag, www-authenticate',
} as const

export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'authorization, if-none-match, last-event-id',
  'access-control-max-age': '86400',
} as const

export const allowedMethods = 'GET, HEAD, OPTIONS'
