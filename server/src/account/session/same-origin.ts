import type { IncomingHttpHeaders } from 'node:http'

/** What a browser says of where a request comes from. Scripts of other origins cannot change either header. */
type Origin = Pick<IncomingHttpHeaders, 'origin'> & { 'sec-fetch-site'?: string | string[] | undefined }

/** Whether a change comes from a page of ours: each header that is there must say so, and one must be there. */
export function isSameOriginChange(headers: Origin, ownOrigins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined && site === undefined) return false
  return (
    (site === undefined || site === 'same-origin') && (origin === undefined || ownOrigins.includes(origin))
  )
}

/** Whether a read comes from a page of ours, or from somebody who typed the address. */
export function isSameOriginRead(headers: Origin, ownOrigins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (origin === undefined || ownOrigins.includes(origin))
  )
}
