import { LRUCache } from 'lru-cache'
import { createBatchLoader } from '../store/batch-loader.ts'
import type { Database } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { hashOfText, hashTextOfKey, isKeyText } from './key-text.ts'
import { findValidKeyIds, findValidKeys, type KeyRecord, recordUses } from './store.ts'

/** Finds the key that a call presents. */
export interface KeyCache {
  /**
   * The valid key of this text; undefined where it is malformed, unknown, revoked or expired.
   * Answers at once where the key is remembered. Rejects where the database is away: that is never "no such key".
   */
  find(text: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
  /** Those of some keys that are valid now, by their ids: for what goes on after the call that presented them. */
  findValidIds(ids: readonly string[]): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

export interface KeyCacheOptions {
  db: Database
  pulse: Pulse
  now?: () => number
  /** How often uses are written down. */
  usesIntervalMs?: number
  onError?: (error: unknown) => void
}

interface CachedKey {
  record: KeyRecord
  accessVersion: number
}

/**
 * Remembers valid keys as long as the pulse says that no key has changed. Unknown keys are not remembered, so that whoever guesses
 * fills no memory; guesses are looked up many at a time, and never crowd out what else the database is asked.
 */
export function createKeyCache({
  db,
  pulse,
  now = Date.now,
  usesIntervalMs = 10_000,
  onError,
}: KeyCacheOptions): KeyCache {
  const remembered = new LRUCache<string, CachedKey>({ max: 50_000 })
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

  function noteUse({ id }: KeyRecord): void {
    // The time to the minute is enough, and costs one entry a key and interval.
    if (!uses.has(id)) uses.set(id, new Date(now()).toISOString())
  }

  const ask = createBatchLoader(async names => {
    const found = await findValidKeys(db, names.map(hashOfText))
    return new Map(found.map(({ hash, record }) => [hash.toString('binary'), record]))
  })

  async function lookUp(name: string): Promise<KeyRecord | undefined> {
    const accessVersion = pulse.current()?.accessVersion
    const record = await ask(name)
    if (!record || isExpired(record)) return undefined
    if (accessVersion !== undefined) remembered.set(name, { record, accessVersion })
    noteUse(record)
    return record
  }

  return {
    find(text) {
      if (!isKeyText(text)) return undefined
      // Remembered under its hash: no memory of this process holds a key longer than its call.
      const name = hashTextOfKey(text)
      const known = remembered.get(name)
      if (known && known.accessVersion === pulse.current()?.accessVersion) {
        if (isExpired(known.record)) return undefined
        noteUse(known.record)
        return known.record
      }
      return lookUp(name)
    },
    findValidIds: async ids => new Set(await findValidKeyIds(db, ids)),
    async close() {
      clearInterval(timer)
      await writeUses()
    },
  }
}
