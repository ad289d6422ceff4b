/**
 * The cache of response bodies that are the same for every viewer, and the sending of JSON bodies: Cache-Control, ETag and 304, compression.
 * Entries are valid for one world version.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type CachePolicy, limits } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { fnv1a } from '../limits/fnv1a.ts'
import { TransientMap } from '../store/transient-map.ts'

const compress = promisify(gzip)

/** A response body that is the same for every viewer. */
export interface CachedBody {
  bytes: Buffer
  /** For a strong ETag, which names one representation: the compressed one has its own. */
  tag: string
  compressed: Buffer | Promise<Buffer> | undefined
}

/** The URL of a request, and a key that is the same for all URLs which mean the same request. */
export interface CacheKey {
  url: string
  key: string
}

/** Caches response bodies that are the same for every viewer, until the world version changes. */
export interface ResponseCache {
  /** The body for a URL; undefined for a miss, for another world version, and without a version. */
  get(url: string, worldVersion: number | undefined): CachedBody | undefined
  /**
   * The cached body, or the result of `compute`. Single-flight: equal requests in flight share one call of it. Without a world version
   * nothing is cached or shared.
   */
  getOrCompute(
    cacheKey: CacheKey,
    worldVersion: number | undefined,
    compute: () => Promise<string>,
  ): Promise<CachedBody>
}

interface CacheEntry {
  body: CachedBody
  wasHit: boolean
}

/** Beyond this number of requests in flight, equal ones may each read for themselves. */
const inFlightMax = 1_000

/** A version is expected to last as long as the longest of so many before it: a ranking round ends one soon after a batch. */
const lifetimesMax = 4

/** Bound of the index from URLs to keys, in characters. */
const urlIndexMax = 2_097_152

/**
 * One entry per request, however it is spelled. The index of URLs has a bound of its own: a client that varies its URLs evicts other
 * URLs from the index, but no bodies.
 *
 * A body is cached when it is requested a second time in the first half of what a world version is expected to last, when it is requested
 * a third time, or if it was hit in one of the two versions before. So a client that walks through everything evicts nothing, and bodies
 * that are hardly requested again before the next version are not kept alive, which would cost the garbage collector as much as reading
 * them again costs the driver.
 */
export function createResponseCache(
  bytesMax = 24 * 1_048_576,
  now: () => number = () => performance.now(),
): ResponseCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: bytesMax,
    // A few pages of wars with all their participants would displace all others.
    maxEntrySize: bytesMax / 8,
    // A compressed copy may join the body; the rest is the entry itself.
    sizeCalculation: ({ body }, key) => Math.ceil(body.bytes.length * 1.5) + key.length + 200,
  })
  const keysByUrl = new LRUCache<string, string>({
    maxSize: urlIndexMax,
    sizeCalculation: (key, url) => key.length + url.length + 100,
  })
  const countRequest = createRequestCounts()
  const inFlight = new TransientMap<string, Promise<CachedBody>>()
  let version = Number.NEGATIVE_INFINITY
  let versionSince = Number.NEGATIVE_INFINITY
  /** How long the versions before lasted, in ms: the first one is expected to last. */
  let lifetimes: readonly number[] = [Number.POSITIVE_INFINITY]
  let hotKeys: ReadonlySet<string> = new Set()
  let formerHotKeys = hotKeys

  function advanceVersion(worldVersion: number): void {
    if (worldVersion <= version) return
    version = worldVersion
    const endedAt = now()
    lifetimes = [endedAt - versionSince, ...lifetimes].slice(0, lifetimesMax)
    versionSince = endedAt
    formerHotKeys = hotKeys
    hotKeys = new Set([...entries].flatMap(([key, { wasHit }]) => (wasHit ? [key] : [])))
    entries.clear()
  }

  function lookUp(key: string, worldVersion: number | undefined): CachedBody | undefined {
    if (worldVersion !== version) return undefined
    const entry = entries.get(key)
    if (entry) entry.wasHit = true
    return entry?.body
  }

  const isEarly = () => now() - versionSince < Math.max(...lifetimes) / 2

  function shouldCache(key: string, worldVersion: number): boolean {
    if (worldVersion !== version) return false
    const count = countRequest(key, worldVersion)
    return count > 2 || (count === 2 && isEarly()) || hotKeys.has(key) || formerHotKeys.has(key)
  }

  return {
    get(url, worldVersion) {
      const key = keysByUrl.get(url)
      return key === undefined ? undefined : lookUp(key, worldVersion)
    },

    async getOrCompute({ url, key }, worldVersion, compute) {
      if (worldVersion === undefined) return createCachedBody(await compute())
      advanceVersion(worldVersion)
      const cached = lookUp(key, worldVersion)
      if (cached) {
        keysByUrl.set(url, key)
        return cached
      }
      const versionedKey = `${worldVersion} ${key}`
      const running = inFlight.get(versionedKey)
      if (running) return running
      const isCached = shouldCache(key, worldVersion)
      const started = compute()
        .then(json => {
          const body = createCachedBody(json)
          if (isCached && worldVersion === version) {
            body.bytes = copyBuffer(body.bytes)
            entries.set(key, { body, wasHit: false })
            keysByUrl.set(url, key)
          }
          return body
        })
        .finally(() => inFlight.delete(versionedKey))
      if (inFlight.size < inFlightMax) inFlight.set(versionedKey, started)
      return started
    },
  }
}

function createCachedBody(json: string): CachedBody {
  const bytes = Buffer.from(json)
  return { bytes, tag: hash('sha1', bytes, 'base64url'), compressed: undefined }
}

/** The gzip form of a body, compressed once for all requests that wait for it. */
function compressBody(body: CachedBody): Buffer | Promise<Buffer> {
  body.compressed ??= compress(body.bytes, { level: 6 }).then(bytes => {
    body.compressed = copyBuffer(bytes)
    return body.compressed
  })
  return body.compressed
}

/** Copies bytes into a buffer of their own: small buffers share slabs of 8 KB, and zlib's output is part of 16 KB or more, so a cached one would retain the whole slab. */
function copyBuffer(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}

/** A power of two: the number of requests in one world version, and some more, so that few share a counter. */
const countersCount = 2 ** 17

/** With more counters in use, too many first requests would count as repeated. */
const usedMax = countersCount / 4

/**
 * The admission filter of the cache, as in TinyLFU (a count-min sketch with one hash): counts the requests for each key in one world
 * version, this one included, up to 255. Keys that share a counter are counted together. While the version does not change, the counters
 * are cleared from time to time.
 */
export function createRequestCounts(): (key: string, worldVersion: number) => number {
  const counters = new Uint8Array(countersCount)
  let version: number | undefined
  let usedCount = 0
  return (key, worldVersion) => {
    if (worldVersion !== version || usedCount > usedMax) {
      counters.fill(0)
      version = worldVersion
      usedCount = 0
    }
    const index = hashOf(key) & (countersCount - 1)
    const before = counters[index] ?? 0
    if (before === 0) usedCount += 1
    const count = Math.min(before + 1, 255)
    counters[index] = count
    return count
  }
}

/** With the upper half folded in, keys that differ in one digit get different counters. */
function hashOf(key: string): number {
  const hash = fnv1a(key)
  return hash ^ (hash >>> 16)
}

/** Below this, compression saves less than its headers cost. */
const compressFromBytes = 1_024

const contentType = 'application/json; charset=utf-8'
/** `private` also where every viewer gets the same body: the headers beside it state the rate limit of one caller. */
const cacheControl = {
  public: `private, max-age=${limits.sharedCacheSeconds}`,
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
  const accepted = req.headers['accept-encoding']
  if (codings.length === 0 || accepted === undefined) return undefined
  const question = `${codings} ${accepted}`
  const known = negotiated.get(question)
  if (known) return known.coding
  const preferred = [...codings, 'identity']
  const name = new Negotiator(req).encoding(preferred, { preferred })
  const coding = codings.find(coding => coding === name)
  if (question.length <= questionLengthMax) negotiated.set(question, { coding })
  return coding
}

/** Clients are few programs, each with one header. */
const negotiated = new LRUCache<string, { coding: Coding | undefined }>({ max: 100 })
const questionLengthMax = 200

/** Whether a client prefers a page to JSON, as browsers do. Clients that accept anything get JSON. */
export const prefersHtml = (req: FastifyRequest): boolean =>
  new Negotiator(req).mediaType(['application/json', 'text/html']) === 'text/html'

/** Whether If-None-Match names one of these tags: the client has this representation, or another of the same content. */
export function isFresh(req: FastifyRequest, etags: readonly string[]): boolean {
  const tags = req.headers['if-none-match']
  if (tags === undefined) return false
  // No other header: fetch adds Cache-Control: no-cache to requests with If-None-Match, and `fresh` would then never allow 304.
  const headers = { 'if-none-match': tags }
  return etags.some(etag => fresh(headers, { etag }))
}
