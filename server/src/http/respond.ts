import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CachePolicy } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { copyBuffer } from './copy-buffer.ts'
import { isFresh, negotiateCoding } from './negotiate.ts'

const compress = promisify(gzip)

/** Below this, compression saves less than its headers cost. */
const compressFromBytes = 1_024

/** A body that is the same for everybody, ready to be sent any number of times. */
export interface CachedBody {
  bytes: Buffer
  /** A strong tag is of one representation: the compressed one has its own. */
  tag: string
  compressed: Buffer | Promise<Buffer> | undefined
}

export function createCachedBody(json: string): CachedBody {
  const bytes = Buffer.from(json)
  return { bytes, tag: hash('sha1', bytes, 'base64url'), compressed: undefined }
}

const contentType = 'application/json; charset=utf-8'
const cacheControl = {
  public: 'private, max-age=60',
  revalidate: 'private, no-cache',
  private: 'no-store',
} as const

/** Sends a shared body, or 304 to whoever has it already. At once, unless it has yet to be compressed. */
export function sendCacheable(
  req: FastifyRequest,
  reply: FastifyReply,
  body: CachedBody,
  kind: Exclude<CachePolicy, 'private'>,
): FastifyReply | Promise<FastifyReply> {
  const isCompressed = body.bytes.length >= compressFromBytes && negotiateCoding(req, ['gzip']) !== undefined
  const [plainTag, gzipTag] = [`"${body.tag}"`, `"${body.tag}-gzip"`]
  reply.headers({
    etag: isCompressed ? gzipTag : plainTag,
    'cache-control': cacheControl[kind],
    vary: 'accept-encoding',
  })
  if (isFresh(req, [plainTag, gzipTag])) return reply.code(304).send()
  reply.header('content-type', contentType)
  if (!isCompressed) return reply.send(body.bytes)
  reply.header('content-encoding', 'gzip')
  const compressed = compressedOf(body)
  return Buffer.isBuffer(compressed) ? reply.send(compressed) : compressed.then(bytes => reply.send(bytes))
}

/** Compresses a body once, however many ask for it meanwhile. */
function compressedOf(body: CachedBody): Buffer | Promise<Buffer> {
  body.compressed ??= compress(body.bytes, { level: 6 }).then(bytes => {
    body.compressed = copyBuffer(bytes)
    return body.compressed
  })
  return body.compressed
}

/** Sends what is for this caller alone. */
export function sendPrivate(reply: FastifyReply, json: string): FastifyReply {
  return reply.headers({ 'cache-control': cacheControl.private, 'content-type': contentType }).send(json)
}
