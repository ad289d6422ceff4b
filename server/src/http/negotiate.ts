import type { FastifyRequest } from 'fastify'
import fresh from 'fresh'
import Negotiator from 'negotiator'

export type Coding = 'br' | 'gzip'

/** The coding of Accept-Encoding to send; undefined for none. Of codings that the client likes equally the first of `codings`. */
export function negotiateCoding(req: FastifyRequest, codings: readonly Coding[]): Coding | undefined {
  if (codings.length === 0 || req.headers['accept-encoding'] === undefined) return undefined
  const preferred = [...codings, 'identity']
  const name = new Negotiator(req).encoding(preferred, { preferred })
  return codings.find(coding => coding === name)
}

/** Whether If-None-Match names one of these tags: the client has the representation, or another of the same content. */
export function isFresh(req: FastifyRequest, etags: readonly string[]): boolean {
  const known = req.headers['if-none-match']
  if (known === undefined) return false
  // Nothing else of the request: fetch adds Cache-Control: no-cache wherever a caller sets If-None-Match, and fresh would never say 304.
  const headers = { 'if-none-match': known }
  return etags.some(etag => fresh(headers, { etag }))
}
