import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** The origin headers of a browser. Scripts of other origins cannot change them. */
type OriginHeaders = Pick<IncomingHttpHeaders, 'origin'> & {
  'sec-fetch-site'?: string | string[] | undefined
}

/**
 * Whether a request comes from our page: each origin header that is present must confirm it. A change needs at least one; a read may also
 * come from an address typed in.
 */
export function isSameOrigin(
  headers: OriginHeaders,
  ownOrigins: readonly string[],
  isChange: boolean,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (isChange && origin === undefined && site === undefined) return false
  const isOwnSite = site === undefined || site === 'same-origin' || (!isChange && site === 'none')
  return isOwnSite && (origin === undefined || ownOrigins.includes(origin))
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
