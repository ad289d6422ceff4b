import { LRUCache } from 'lru-cache'
import { createDoorkeeper } from './cache-admission.ts'
import { copyBuffer } from './copy-buffer.ts'
import { type CachedBody, createCachedBody } from './respond.ts'

/** A question as it was written, and the key of what is asked: the same for all ways to write it. */
export interface CacheKey {
  url: string
  key: string
}

/** Remembers the entries that are the same for everybody, as long as the world is. */
export interface ResponseCache {
  /** The answer to what was asked in these words before; undefined where the world has changed since, or nobody knows. */
  get(url: string, worldVersion: number | undefined): CachedBody | undefined
  /** The answer that is remembered or being made, else a new one. Without a version of the world nothing is remembered. */
  getOrCompute(
    question: CacheKey,
    worldVersion: number | undefined,
    make: () => Promise<string>,
  ): Promise<CachedBody>
}

interface CacheEntry {
  body: CachedBody
  /** Whether anybody was answered with it after the first. */
  isUsed: boolean
}

/** How much is remembered of the words in which was asked, in characters. */
const urlsMaxChars = 2_097_152

/**
 * One answer to one question, however it is written: a parameter that nobody knows, or another order, makes none anew. The words are
 * remembered apart from the entries, so that who thinks up new ones only makes others' be read again.
 *
 * Remembered is what is asked for a second time in one version of the world, or was in the version before: whoever walks through
 * everything once neither displaces what many read, nor is paid for by carrying entries along that nobody asks for again, which
 * takes the collector of garbage as long as reading them takes the driver. With a version its entries go.
 */
export function createResponseCache(bytesMax = 24 * 1_048_576): ResponseCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: bytesMax,
    // A compressed copy may join the body; the rest is the entry itself.
    sizeCalculation: ({ body }, key) => Math.ceil(body.bytes.length * 1.5) + key.length + 200,
  })
  const keysByUrl = new LRUCache<string, string>({
    maxSize: urlsMaxChars,
    sizeCalculation: (key, url) => key.length + url.length + 100,
  })
  const isKnownKey = createDoorkeeper()
  const inFlight = new Map<string, Promise<CachedBody>>()
  let version = Number.NEGATIVE_INFINITY
  let hotKeys: ReadonlySet<string> = new Set()

  function advanceVersion(worldVersion: number): void {
    if (worldVersion <= version) return
    version = worldVersion
    hotKeys = new Set([...entries].flatMap(([key, { isUsed }]) => (isUsed ? [key] : [])))
    entries.clear()
  }

  function lookUp(key: string, worldVersion: number | undefined): CachedBody | undefined {
    if (worldVersion !== version) return undefined
    const entry = entries.get(key)
    if (entry) entry.isUsed = true
    return entry?.body
  }

  /** Whether the answer is worth its memory. */
  const isWorthCaching = (key: string, worldVersion: number): boolean =>
    worldVersion === version && (isKnownKey(key, worldVersion) || hotKeys.has(key))

  return {
    get(url, worldVersion) {
      const key = keysByUrl.get(url)
      return key === undefined ? undefined : lookUp(key, worldVersion)
    },

    async getOrCompute({ url, key }, worldVersion, make) {
      if (worldVersion === undefined) return createCachedBody(await make())
      advanceVersion(worldVersion)
      const body = lookUp(key, worldVersion)
      if (body) {
        keysByUrl.set(url, key)
        return body
      }
      const versioned = `${worldVersion} ${key}`
      const running = inFlight.get(versioned)
      if (running) return running
      const isRemembered = isWorthCaching(key, worldVersion)
      const started = make()
        .then(json => {
          const made = createCachedBody(json)
          if (isRemembered && worldVersion === version) {
            made.bytes = copyBuffer(made.bytes)
            entries.set(key, { body: made, isUsed: false })
            keysByUrl.set(url, key)
          }
          return made
        })
        .finally(() => inFlight.delete(versioned))
      inFlight.set(versioned, started)
      return started
    },
  }
}
