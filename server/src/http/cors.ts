/**
 * The headers of every response of the API. Any origin may read, with no credentials: keys are sent as a header, on purpose, never as a
 * cookie.
 */
export const apiHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-reason, retry-after, x-request-id, etag, www-authenticate, deprecation, sunset, date, link',
  'x-content-type-options': 'nosniff',
} as const

export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  // Without credentials the asterisk stands for every header but Authorization. Old browsers take it for a name.
  'access-control-allow-headers': 'authorization, if-none-match, last-event-id, *',
  'access-control-max-age': '86400',
} as const

export const allowedMethods = 'GET, HEAD, OPTIONS'
