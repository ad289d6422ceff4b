import type { CachePolicy } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { type CachedBody, compressBody } from './response-cache.ts'

/** Below this, compression saves less than its headers cost. */
const compressFromBytes = 1_024

const contentType = 'application/json; charset=utf-8'
const cacheControl = {
  public: 'private, max-age=60',
  revalidate: 'private, no-cache',
  private: 'no-store',
} as const

/** Sends a body that is the same for every viewer, or 304. No promise, unless it has yet to be compressed. */
export function sendCacheable(
  req: FastifyRequest,
  reply: FastifyReply,
  body: CachedBody,
  policy: Exclude<CachePolicy, 'private'>,
): FastifyReply | Promise<FastifyReply> {
  const isCompressed = body.bytes.length >= compressFromBytes && negotiateCoding(req, ['gzip']) !== undefined
  const [plainTag, gzipTag] = [`"${body.tag}"`, `"${body.tag}-gzip"`]
  reply.headers({
    etag: isCompressed ? gzipTag : plainTag,
    'cache-control': cacheControl[policy],
    vary: 'accept-encoding',
  })
  if (isFresh(req, [plainTag, gzipTag])) return reply.code(304).send()
  reply.header('content-type', contentType)
  if (!isCompressed) return reply.send(body.bytes)
  reply.header('content-encoding', 'gzip')
  const compressed = compressBody(body)
  return Buffer.isBuffer(compressed) ? reply.send(compressed) : compressed.then(bytes => reply.send(bytes))
}

/** Sends a body for this viewer alone. */
export function sendPrivate(reply: FastifyReply, json: string): FastifyReply {
  return reply.headers({ 'cache-control': cacheControl.private, 'content-type': contentType }).send(json)
}

export type Coding = 'br' | 'gzip'

/** The coding of Accept-Encoding to send; undefined for none. Of codings that the client prefers equally, the first of `codings`. */
export function negotiateCoding(req: FastifyRequest, codings: readonly Coding[]): Coding | undefined {
  if (codings.length === 0 || req.headers['accept-encoding'] === undefined) return undefined
  const preferred = [...codings, 'identity']
  const name = new Negotiator(req).encoding(preferred, { preferred })
  return codings.find(coding => coding === name)
}

/** Whether If-None-Match names one of these tags: the client has this representation, or another of the same content. */
export function isFresh(req: FastifyRequest, etags: readonly string[]): boolean {
  const tags = req.headers['if-none-match']
  if (tags === undefined) return false
  // No other header: fetch adds Cache-Control: no-cache to requests with If-None-Match, and `fresh` would then never allow 304.
  const headers = { 'if-none-match': tags }
  return etags.some(etag => fresh(headers, { etag }))
}
