import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** The origin headers of a browser. Scripts of other origins cannot change them. */
type OriginHeaders = Pick<IncomingHttpHeaders, 'origin'> & {
  'sec-fetch-site'?: string | string[] | undefined
}

/** Whether a change comes from our page: at least one header is present, and each present one must confirm it. */
export function isSameOriginChange(headers: OriginHeaders, ownOrigins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined && site === undefined) return false
  return (
    (site === undefined || site === 'same-origin') && (origin === undefined || ownOrigins.includes(origin))
  )
}

/** Whether a read comes from our page, or from an address typed in. */
export function isSameOriginRead(headers: OriginHeaders, ownOrigins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (origin === undefined || ownOrigins.includes(origin))
  )
}

const loopbackName = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/**
 * Whether a request may sign in as a demo player. The service then listens on loopback only; another host name in the request means a
 * tunnel or DNS rebinding.
 */
export function isDemo({ demoSignIn }: { demoSignIn: boolean }, req: FastifyRequest): boolean {
  return demoSignIn && loopbackName.test(hostnameOf(req))
}

const hostnameOf = ({ headers: { host = '' } }: FastifyRequest) => host.replace(/:\d*$/, '')

/** The origins of the page. A demo is reachable by every loopback name. */
export function ownOrigins(
  context: { demoSignIn: boolean; publicUrl: () => string },
  req: FastifyRequest,
): string[] {
  const { origin, protocol } = new URL(context.publicUrl())
  return isDemo(context, req) ? [origin, `${protocol}//${req.headers.host}`] : [origin]
}
