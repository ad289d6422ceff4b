import { limits } from '@chancery/contract'
import type { Database } from '../store/database.ts'
import { generateKey, hashKey, prefixOfKey } from './key-text.ts'
import {
  countLiveKeys,
  endKeyAfter,
  findLiveKeyOfPlayer,
  insertKey,
  type KeyRecord,
  type NewKey,
  revokeKey,
} from './store.ts'

/** A key that was just made, and its text, which is known this once. */
export interface CreatedKey {
  text: string
  record: KeyRecord
}

/** Makes a key and stores what may be kept of it. */
export async function createKey(db: Database, key: Omit<NewKey, 'prefix'>): Promise<CreatedKey> {
  const text = generateKey()
  return { text, record: await insertKey(db, hashKey(text), { ...key, prefix: prefixOfKey(text) }) }
}

/** Makes a key for a player, unless they have as many live ones as they may. In a transaction. */
export async function createPlayerKey(
  db: Database,
  key: Omit<NewKey, 'prefix'>,
): Promise<CreatedKey | 'too_many_keys'> {
  const live = await countLiveKeys(db, key.playerId)
  return live >= limits.keysPerPlayer ? 'too_many_keys' : createKey(db, key)
}

/**
 * Makes a key that takes the place of one of the player's, which goes on working for `overlapHours`: with 0 it is revoked.
 * `nowMs` is by the database's clock.
 * The new one has its name, scopes, limit and rate-limit window, and lives as long as it was made to live. In a transaction; undefined where the player
 * has no such live key.
 */
export async function rotatePlayerKey(
  db: Database,
  playerId: string,
  id: string,
  { overlapHours, nowMs }: { overlapHours: number; nowMs: number },
): Promise<CreatedKey | 'too_many_keys' | undefined> {
  const live = await countLiveKeys(db, playerId)
  const old = await findLiveKeyOfPlayer(db, playerId, id)
  if (!old) return undefined
  const isOverlapping = overlapHours > 0
  if (isOverlapping && live >= limits.keysPerPlayer) return 'too_many_keys'
  if (isOverlapping) await endKeyAfter(db, id, overlapHours)
  else await revokeKey(db, id)
  return createKey(db, { ...old, scopes: [...old.scopes], expiresAt: sameLifetime(old, nowMs) })
}

function sameLifetime({ createdAt, expiresAt }: KeyRecord, nowMs: number): string | null {
  if (expiresAt === null) return null
  return new Date(nowMs + Date.parse(expiresAt) - Date.parse(createdAt)).toISOString()
}
