import { randomBytes } from 'node:crypto'
import type { Scope } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import type { KeyHash } from './key-text.ts'
import type { Key } from './viewer.ts'

/** A key as its owner and the operator see it. */
export interface KeyRecord extends Key {
  /** How it begins; null for keys made before that was kept. */
  prefix: string | null
  revokedAt: string | null
  callLimitNote: string | null
}

interface KeyRow extends Omit<KeyRecord, 'scopes'> {
  scopes: Scope[]
}

const columns = sql`
  id, player_id as "playerId", name, prefix, scopes, call_limit as "callLimit", call_limit_note as "callLimitNote",
  coalesce(window_id, id) as "windowId",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

/** Whether a key opens anything by the database's clock. */
const isLive = sql`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`

const recordOf = (row: KeyRow): KeyRecord => ({ ...row, scopes: new Set(row.scopes) })

/** A player who makes and revokes keys all day is not shown all of them. */
const keysListed = 200

export interface NewKey {
  playerId: string
  name: string
  prefix: string
  scopes: readonly Scope[]
  expiresAt: string | null
  callLimit: number | null
  /** The window of the key that it replaces; without one, it has its own. */
  windowId?: string
}

export async function insertKey(db: Database, hash: KeyHash, key: NewKey): Promise<KeyRecord> {
  const id = `key_${randomBytes(8).toString('base64url').replace(/[-_]/g, '0')}`
  const row = await db.first<KeyRow>(sql`
    insert into chancery_access.api_key (id, hash, player_id, name, prefix, scopes, call_limit, window_id, created_at, expires_at)
    values (${id}, ${hash}, ${key.playerId}, ${key.name}, ${key.prefix}, ${[...key.scopes]}, ${key.callLimit},
      ${key.windowId ?? null}, date_trunc('milliseconds', clock_timestamp()), ${key.expiresAt})
    returning ${columns}`)
  if (!row) throw new Error('an inserted key was not returned')
  return recordOf(row)
}

/** Whether a key is taken: it is live, and its player is not suspended. */
const isValid = sql`${isLive}
  and not exists (select from chancery_access.suspension s where s.player_id = api_key.player_id)`

/** Those keys with these hashes that are neither revoked nor expired by the database's clock, nor their players suspended. */
export async function findValidKeys(
  db: Database,
  hashes: readonly KeyHash[],
): Promise<{ hash: KeyHash; record: KeyRecord }[]> {
  const rows = await db.rows<KeyRow & { hash: KeyHash }>(
    sql`select hash, ${columns} from chancery_access.api_key where hash = any(${hashes}::bytea[]) and ${isValid}`,
  )
  return rows.map(({ hash, ...row }) => ({ hash, record: recordOf(row) }))
}

/** Those of some keys that are valid. */
export async function findValidKeyIds(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from chancery_access.api_key where id = any(${ids}::text[]) and ${isValid}`,
  )
  return rows.map(({ id }) => id)
}

export async function listKeys(
  db: Database,
  filter: { playerId?: string | undefined },
): Promise<KeyRecord[]> {
  const rows = await db.rows<KeyRow>(sql`
    select ${columns} from chancery_access.api_key
    where ${filter.playerId ?? null}::text is null or player_id = ${filter.playerId ?? null}
    order by created_at, id`)
  return rows.map(recordOf)
}

/** The keys of a player that are live, and the latest of the others: newest first. */
export async function listKeysOfPlayer(db: Database, playerId: string): Promise<KeyRecord[]> {
  const rows = await db.rows<KeyRow>(sql`
    select ${columns} from chancery_access.api_key where player_id = ${playerId}
    order by (${isLive}) desc, created_at desc, id limit ${keysListed}`)
  return rows.map(recordOf)
}

/** A key of this player that opens something; undefined for any other. */
export async function findLiveKeyOfPlayer(
  db: Database,
  playerId: string,
  id: string,
): Promise<KeyRecord | undefined> {
  const row = await db.first<KeyRow>(sql`
    select ${columns} from chancery_access.api_key where id = ${id} and player_id = ${playerId} and ${isLive}`)
  return row && recordOf(row)
}

/** How many live keys a player has. Until the transaction ends, nobody else counts or makes keys of theirs by this. */
export async function countLiveKeys(db: Database, playerId: string): Promise<number> {
  await db.rows(playerLock(playerId))
  const row = await db.first<{ live: number }>(sql`
    select count(*) as live from chancery_access.api_key where player_id = ${playerId} and ${isLive}`)
  return row?.live ?? 0
}

const now = sql`date_trunc('milliseconds', clock_timestamp())`
const revoking = sql`update chancery_access.api_key set revoked_at = coalesce(revoked_at, ${now})`

/** Revokes a key everywhere: every process forgets what it remembers of keys. Returns undefined for an unknown id. In a transaction, as all changes below. */
export const revokeKey = (db: Database, id: string): Promise<KeyRecord | undefined> =>
  changeKey(db, sql`${revoking} where id = ${id} returning ${columns}`)

/** The same of a key of this player; undefined for any other. */
export const revokeKeyOfPlayer = (
  db: Database,
  playerId: string,
  id: string,
): Promise<KeyRecord | undefined> =>
  changeKey(db, sql`${revoking} where id = ${id} and player_id = ${playerId} returning ${columns}`)

/** Revokes the live keys of a player that hold more than `scopes`. */
export const revokeKeysBeyond = (
  db: Database,
  playerId: string,
  scopes: readonly Scope[],
): Promise<KeyRecord[]> =>
  changeKeys(
    db,
    sql`${revoking} where player_id = ${playerId} and ${isLive} and not scopes <@ ${[...scopes]}::text[] returning ${columns}`,
  )

/** Lets a key end after so many hours, unless it ends sooner by itself. */
export const endKeyAfter = (db: Database, id: string, hours: number): Promise<KeyRecord | undefined> =>
  changeKey(
    db,
    sql`update chancery_access.api_key set expires_at = least(expires_at, ${now} + make_interval(hours => ${hours})) where id = ${id} returning ${columns}`,
  )

/** Gives a key a limit of its own, or takes it back with null. Returns undefined for an unknown id. */
export const setKeyLimit = (
  db: Database,
  id: string,
  callLimit: number | null,
  note: string | null,
): Promise<KeyRecord | undefined> =>
  changeKey(
    db,
    sql`update chancery_access.api_key set call_limit = ${callLimit}, call_limit_note = ${note} where id = ${id} returning ${columns}`,
  )

export async function recordUses(db: Database, uses: ReadonlyMap<string, string>): Promise<void> {
  await db.rows(sql`
    update chancery_access.api_key k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (id, at) where k.id = used.id`)
}

const changeKey = async (db: Database, change: Sql) => (await changeKeys(db, change))[0]

/** The change and the word of it are one: no process may go on trusting a key that has changed. */
async function changeKeys(db: Database, change: Sql): Promise<KeyRecord[]> {
  const rows = await db.rows<KeyRow>(change)
  if (rows.length === 0) return []
  await db.rows(sql`update chancery_access.pulse set version = version + 1`)
  await db.rows(notifyPulse)
  return rows.map(recordOf)
}
