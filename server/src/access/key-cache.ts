import { LRUCache } from 'lru-cache'
import { createBatchLoader } from '../store/batch-loader.ts'
import type { Database } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { hashOfText, hashTextOfKey, isKeyText } from './key.ts'
import { findValidKeyIds, findValidKeys, type KeyRecord, recordUses } from './store.ts'

export type KeyCache = ReturnType<typeof createKeyCache>

export interface KeyCacheOptions {
  db: Database
  pulse: Pulse
  now?: () => number
  /** Interval in which uses are written to the database. */
  usesIntervalMs?: number
  onError?: (error: unknown) => void
}

interface CachedKey {
  record: KeyRecord
  accessVersion: number
}

/**
 * Looks up the keys that requests present. Caches valid keys until the access version changes. Unknown keys are not cached, so that guesses take no memory; they are looked up in
 * batches, so that guesses take no more than one database connection.
 */
export function createKeyCache({
  db,
  pulse,
  now = Date.now,
  usesIntervalMs = 10_000,
  onError,
}: KeyCacheOptions) {
  const cached = new LRUCache<string, CachedKey>({ max: 50_000 })
  let uses = new Map<string, string>()

  async function writeUses(): Promise<void> {
    if (uses.size === 0) return
    const written = uses
    uses = new Map()
    await recordUses(db, written).catch(error => onError?.(error))
  }
  const timer = setInterval(() => void writeUses(), usesIntervalMs)
  timer.unref()

  const isExpired = ({ expiresAt }: KeyRecord) => expiresAt !== null && Date.parse(expiresAt) <= now()

  function recordUse({ id }: KeyRecord): void {
    // The time of the first use in an interval is enough, and costs one entry per key.
    if (!uses.has(id)) uses.set(id, new Date(now()).toISOString())
  }

  const loadKey = createBatchLoader(async hashTexts => {
    const found = await findValidKeys(db, hashTexts.map(hashOfText))
    return new Map(found.map(({ hash, record }) => [hash.toString('binary'), record]))
  })

  async function lookUp(hashText: string): Promise<KeyRecord | undefined> {
    const accessVersion = pulse.current()?.accessVersion
    const record = await loadKey(hashText)
    if (!record || isExpired(record)) return undefined
    if (accessVersion !== undefined) cached.set(hashText, { record, accessVersion })
    recordUse(record)
    return record
  }

  return {
    /**
     * The valid key of this text; undefined if it is malformed, unknown, revoked or expired. No promise if the key is cached. Rejects while
     * the database is unavailable: that is never reported as an unknown key.
     */
    find(text: string): KeyRecord | undefined | Promise<KeyRecord | undefined> {
      if (!isKeyText(text)) return undefined
      // Cached by its hash: the process keeps no key longer than its request.
      const hashText = hashTextOfKey(text)
      const known = cached.get(hashText)
      if (known && known.accessVersion === pulse.current()?.accessVersion) {
        if (isExpired(known.record)) return undefined
        recordUse(known.record)
        return known.record
      }
      return lookUp(hashText)
    },
    /** The ids of those keys that are valid now: for streams, which outlast the check of their key. */
    findValidIds: async (ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set(await findValidKeyIds(db, ids)),
    async close(): Promise<void> {
      clearInterval(timer)
      await writeUses()
    },
  }
}
