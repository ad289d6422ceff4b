import { randomBytes } from 'node:crypto'
import type { Scope } from '@chancery/contract'
import { type Database, type DatabasePool, type Sql, sql } from '../store/database.ts'
import { notifyPulse } from '../store/pulse.ts'
import type { KeyHash } from './key-text.ts'
import type { Key } from './viewer.ts'

/** A key as its owner and the operator see it. */
export interface KeyRecord extends Key {
  revokedAt: string | null
  callLimitNote: string | null
}

interface KeyRow extends Omit<KeyRecord, 'scopes'> {
  scopes: Scope[]
}

const columns = sql`
  id, player_id as "playerId", name, scopes, call_limit as "callLimit", call_limit_note as "callLimitNote",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

const recordOf = (row: KeyRow): KeyRecord => ({ ...row, scopes: new Set(row.scopes) })

export interface NewKey {
  playerId: string
  name: string
  scopes: readonly Scope[]
  expiresAt: string | null
  callLimit: number | null
}

export async function insertKey(db: Database, hash: KeyHash, key: NewKey): Promise<KeyRecord> {
  const id = `key_${randomBytes(8).toString('base64url').replace(/[-_]/g, '0')}`
  const row = await db.first<KeyRow>(sql`
    insert into chancery_access.api_key (id, hash, player_id, name, scopes, call_limit, created_at, expires_at)
    values (${id}, ${hash}, ${key.playerId}, ${key.name}, ${[...key.scopes]}, ${key.callLimit},
      date_trunc('milliseconds', clock_timestamp()), ${key.expiresAt})
    returning ${columns}`)
  if (!row) throw new Error('an inserted key was not returned')
  return recordOf(row)
}

/** The key with this hash, if it is neither revoked nor expired by the database's clock, nor its player suspended. */
export async function findValidKey(db: Database, hash: KeyHash): Promise<KeyRecord | undefined> {
  const row = await db.first<KeyRow>(sql`
    select ${columns} from chancery_access.api_key
    where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
      and not exists (select from chancery_access.suspension s where s.player_id = api_key.player_id)`)
  return row && recordOf(row)
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

/** Revokes a key everywhere: every process forgets what it remembers of keys. Returns undefined for an unknown id. */
export async function revokeKey(pool: DatabasePool, id: string): Promise<KeyRecord | undefined> {
  return changeKey(
    pool,
    sql`update chancery_access.api_key set revoked_at = coalesce(revoked_at, date_trunc('milliseconds', clock_timestamp())) where id = ${id} returning ${columns}`,
  )
}

/** Gives a key a limit of its own, or takes it back with null. Returns undefined for an unknown id. */
export async function setKeyLimit(
  pool: DatabasePool,
  id: string,
  callLimit: number | null,
  note: string | null,
): Promise<KeyRecord | undefined> {
  return changeKey(
    pool,
    sql`update chancery_access.api_key set call_limit = ${callLimit}, call_limit_note = ${note} where id = ${id} returning ${columns}`,
  )
}

export async function noteUses(db: Database, uses: ReadonlyMap<string, string>): Promise<void> {
  await db.rows(sql`
    update chancery_access.api_key k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (id, at) where k.id = used.id`)
}

/** The change and the word of it are one: no process may go on trusting a key that has changed. */
async function changeKey(pool: DatabasePool, change: Sql): Promise<KeyRecord | undefined> {
  return pool.transaction(async db => {
    const row = await db.first<KeyRow>(change)
    if (!row) return undefined
    await db.rows(sql`update chancery_access.pulse set version = version + 1`)
    await db.rows(notifyPulse)
    return recordOf(row)
  })
}
