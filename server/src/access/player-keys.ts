import { limits } from '@chancery/contract'
import type { Database } from '../store/database.ts'
import { generateKey, hashKey, prefixOfKey } from './key.ts'
import { moveLimitRequest } from './limit-increase-requests.ts'
import {
  countActiveKeys,
  expireKeyAfter,
  findActiveKeyOfPlayer,
  insertKey,
  type KeyRecord,
  type NewKey,
  revokeKey,
  setReplacement,
} from './store.ts'

/** A new key with its text, which is not stored. */
export interface CreatedKey {
  text: string
  record: KeyRecord
}

/** Creates a key and stores its hash and prefix. */
export async function createKey(db: Database, key: Omit<NewKey, 'prefix'>): Promise<CreatedKey> {
  const text = generateKey()
  return { text, record: await insertKey(db, hashKey(text), { ...key, prefix: prefixOfKey(text) }) }
}

/** Creates a key for a player, within the limit of active keys. In a transaction. */
export async function createPlayerKey(
  db: Database,
  key: Omit<NewKey, 'prefix'>,
): Promise<CreatedKey | 'too_many_keys'> {
  const active = await countActiveKeys(db, key.playerId)
  return active >= limits.keysPerPlayer ? 'too_many_keys' : createKey(db, key)
}

/**
 * Replaces a key of the player, which stays valid for `overlapHours`; with 0 it is revoked. The new key has its name, scopes, limit,
 * rate-limit window, lifetime and open request for a higher limit. `nowMs` is by the database's clock. In a transaction; undefined where the player has no such active key.
 */
export async function rotatePlayerKey(
  db: Database,
  playerId: string,
  id: string,
  { overlapHours, nowMs }: { overlapHours: number; nowMs: number },
): Promise<CreatedKey | 'too_many_keys' | undefined> {
  const active = await countActiveKeys(db, playerId)
  const old = await findActiveKeyOfPlayer(db, playerId, id)
  if (!old) return undefined
  const isOverlapping = overlapHours > 0
  if (isOverlapping && active >= limits.keysPerPlayer) return 'too_many_keys'
  if (isOverlapping) await expireKeyAfter(db, id, overlapHours)
  else await revokeKey(db, id)
  const created = await createKey(db, {
    ...old,
    scopes: [...old.scopes],
    expiresAt: sameLifetime(old, nowMs),
  })
  await setReplacement(db, id, created.record.id)
  await moveLimitRequest(db, id, created.record.id)
  return created
}

function sameLifetime({ createdAt, expiresAt }: KeyRecord, nowMs: number): string | null {
  if (expiresAt === null) return null
  return new Date(nowMs + Date.parse(expiresAt) - Date.parse(createdAt)).toISOString()
}
