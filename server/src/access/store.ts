import { randomBytes } from 'node:crypto'
import type { Scope } from '@chancery/contract'
import { type Database, type DatabasePool, type Sql, sql } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { notifyPulse } from '../store/pulse.ts'
import type { Key, KeyHash } from './key.ts'

/** A key as it is shown to its owner and the operator. */
export interface KeyRecord extends Key {
  /** Its first characters; null for keys created before these were stored. */
  prefix: string | null
  revokedAt: string | null
  callLimitNote: string | null
  /** The id of the key that replaced it; null for none. */
  replacedBy: string | null
}

interface KeyRow extends Omit<KeyRecord, 'scopes'> {
  scopes: Scope[]
}

const columns = sql`
  id, player_id as "playerId", name, prefix, scopes, call_limit as "callLimit", call_limit_note as "callLimitNote",
  coalesce(window_id, id) as "windowId", replaced_by as "replacedBy",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

/** Neither revoked nor expired, by the database's clock. */
const isActive = sql`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`

const recordOf = (row: KeyRow): KeyRecord => ({ ...row, scopes: new Set(row.scopes) })

/** A player may have created and revoked more. */
const keysListed = 200

export interface NewKey {
  playerId: string
  name: string
  prefix: string
  scopes: readonly Scope[]
  expiresAt: string | null
  callLimit: number | null
  /** The rate-limit window of the key that it replaces. Default: its own. */
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

/** Active, and the player is not suspended. */
const isValid = sql`${isActive}
  and not exists (select from chancery_access.suspension s where s.player_id = api_key.player_id)`

/** The valid keys with these hashes. */
export async function findValidKeys(
  db: Database,
  hashes: readonly KeyHash[],
): Promise<{ hash: KeyHash; record: KeyRecord }[]> {
  const rows = await db.rows<KeyRow & { hash: KeyHash }>(
    sql`select hash, ${columns} from chancery_access.api_key where hash = any(${hashes}::bytea[]) and ${isValid}`,
  )
  return rows.map(({ hash, ...row }) => ({ hash, record: recordOf(row) }))
}

/** The ids of those keys that are valid. */
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

export async function findKey(db: Database, id: string): Promise<KeyRecord | undefined> {
  const row = await db.first<KeyRow>(sql`select ${columns} from chancery_access.api_key where id = ${id}`)
  return row && recordOf(row)
}

/** The active keys of a player, then the latest others: newest first. */
export async function listKeysOfPlayer(db: Database, playerId: string): Promise<KeyRecord[]> {
  const rows = await db.rows<KeyRow>(sql`
    select ${columns} from chancery_access.api_key where player_id = ${playerId}
    order by (${isActive}) desc, created_at desc, id limit ${keysListed}`)
  return rows.map(recordOf)
}

/** The prefixes of some keys by id. */
export async function findPrefixes(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; prefix: string | null }>(
    sql`select id, prefix from chancery_access.api_key where id = any(${ids}::text[])`,
  )
  return new Map(rows.map(({ id, prefix }) => [id, prefix]))
}

/** An active key of this player; undefined for any other. */
export async function findActiveKeyOfPlayer(
  db: Database,
  playerId: string,
  id: string,
): Promise<KeyRecord | undefined> {
  const row = await db.first<KeyRow>(sql`
    select ${columns} from chancery_access.api_key where id = ${id} and player_id = ${playerId} and ${isActive}`)
  return row && recordOf(row)
}

/** The number of active keys of a player, who stays locked until the transaction ends. */
export async function countActiveKeys(db: Database, playerId: string): Promise<number> {
  await db.rows(playerLock(playerId))
  const row = await db.first<{ active: number }>(sql`
    select count(*) as active from chancery_access.api_key where player_id = ${playerId} and ${isActive}`)
  return row?.active ?? 0
}

const now = sql`date_trunc('milliseconds', clock_timestamp())`
const revoking = sql`update chancery_access.api_key set revoked_at = coalesce(revoked_at, ${now})`

/** Revokes a key in every process; undefined for an unknown id. In a transaction, as all changes below. */
export const revokeKey = (db: Database, id: string): Promise<KeyRecord | undefined> =>
  changeKey(db, sql`${revoking} where id = ${id} returning ${columns}`)

/** Revokes a key of this player; undefined for any other. */
export const revokeKeyOfPlayer = (
  db: Database,
  playerId: string,
  id: string,
): Promise<KeyRecord | undefined> =>
  changeKey(db, sql`${revoking} where id = ${id} and player_id = ${playerId} returning ${columns}`)

/** Revokes the active keys of a player that hold more than `scopes`. */
export const revokeKeysBeyond = (
  db: Database,
  playerId: string,
  scopes: readonly Scope[],
): Promise<KeyRecord[]> =>
  changeKeys(
    db,
    sql`${revoking} where player_id = ${playerId} and ${isActive} and not scopes <@ ${[...scopes]}::text[] returning ${columns}`,
  )

/** Lets a key expire after some hours, unless it expires sooner. */
export const expireKeyAfter = (db: Database, id: string, hours: number): Promise<KeyRecord | undefined> =>
  changeKey(
    db,
    sql`update chancery_access.api_key set expires_at = least(expires_at, ${now} + make_interval(hours => ${hours})) where id = ${id} returning ${columns}`,
  )

/** Records which key replaced a key. No cached key depends on it. */
export async function setReplacement(db: Database, id: string, replacedBy: string): Promise<void> {
  await db.rows(sql`update chancery_access.api_key set replaced_by = ${replacedBy} where id = ${id}`)
}

/** Sets a limit of its own for a key; null removes it. Undefined for an unknown id. */
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

/** In a transaction, so that no process trusts a key that has changed. */
async function changeKeys(db: Database, change: Sql): Promise<KeyRecord[]> {
  const rows = await db.rows<KeyRow>(change)
  if (rows.length > 0) await publishChange(db)
  return rows.map(recordOf)
}

/** Invalidates the cached keys of every process. */
export async function publishChange(db: Database): Promise<void> {
  await db.rows(sql`update chancery_access.pulse set version = version + 1`)
  await db.rows(notifyPulse)
}

/** Suspends a player: their keys are invalid until they are resumed. A repeated suspension keeps the time of the first. */
export async function suspendPlayer(
  pool: DatabasePool,
  playerId: string,
  note: string | null,
): Promise<{ suspendedAt: string }> {
  return pool.transaction(async db => {
    const row = await db.first<{ suspendedAt: string }>(sql`
      insert into chancery_access.suspension as s (player_id, suspended_at, note)
      values (${playerId}, date_trunc('milliseconds', clock_timestamp()), ${note})
      on conflict (player_id) do update set note = coalesce(excluded.note, s.note)
      returning suspended_at as "suspendedAt"`)
    if (!row) throw new Error('a suspension was not returned')
    await publishChange(db)
    return row
  })
}

/** Ends a suspension. False where there was none. */
export async function resumePlayer(pool: DatabasePool, playerId: string): Promise<boolean> {
  return pool.transaction(async db => {
    const row = await db.first(
      sql`delete from chancery_access.suspension where player_id = ${playerId} returning player_id`,
    )
    await publishChange(db)
    return row !== undefined
  })
}
