import { createHash, randomBytes } from 'node:crypto'
import { limits, type OperatorRole, type OperatorTokenRecord } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { operatorTokenLock } from '../store/locks.ts'

declare const operatorTokenHash: unique symbol
/** SHA-256 of an operator token: the only form in which it is stored. */
export type OperatorTokenHash = Buffer & { readonly [operatorTokenHash]: true }

/** A new operator token: `cho_` and 43 characters, 256 random bits. */
export const generateOperatorToken = (): string => `cho_${randomBytes(32).toString('base64url')}`

/** Whether a text has the form of a token. Others are rejected without a database query. */
export const isOperatorTokenText = (text: string): boolean => /^cho_[A-Za-z0-9_-]{43}$/.test(text)

export const hashOperatorToken = (text: string): OperatorTokenHash =>
  createHash('sha256').update(text).digest() as OperatorTokenHash

/** A token that is valid now. */
export interface ValidToken extends Pick<OperatorTokenRecord, 'id' | 'name' | 'roles' | 'expires_at'> {
  /** Whether its last recorded use is more than a minute ago. */
  is_use_old: boolean
}

/** A new token with its text, which is not stored. */
export interface CreatedToken {
  text: string
  record: OperatorTokenRecord
}

export interface NewToken {
  name: string
  roles: readonly OperatorRole[]
  expiresAt: string | null
}

const columns = sql`id, name, roles, created_at, expires_at, revoked_at, last_used_at`

/** Neither revoked nor expired, by the database's clock. */
const isLive = sql`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`

/** The token with this hash, if it is valid. */
export const findValidToken = (db: Database, hash: OperatorTokenHash): Promise<ValidToken | undefined> =>
  db.first<ValidToken>(sql`
    select id, name, roles, expires_at,
      coalesce(last_used_at < clock_timestamp() - interval '1 minute', true) as is_use_old
    from chancery_access.operator_token where hash = ${hash} and ${isLive}`)

/** The ids of those tokens that are valid. */
export async function findValidTokenIds(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from chancery_access.operator_token where id = any(${ids}::text[]) and ${isLive}`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** The name of the token with this hash, valid or ended. */
export async function findTokenName(db: Database, hash: OperatorTokenHash): Promise<string | undefined> {
  const token = await db.first<{ name: string }>(
    sql`select name from chancery_access.operator_token where hash = ${hash}`,
  )
  return token?.name
}

export async function recordTokenUse(db: Database, id: string): Promise<void> {
  await db.rows(sql`
    update chancery_access.operator_token set last_used_at = date_trunc('milliseconds', clock_timestamp()) where id = ${id}`)
}

export const listTokens = (db: Database): Promise<OperatorTokenRecord[]> =>
  db.rows<OperatorTokenRecord>(
    sql`select ${columns} from chancery_access.operator_token order by created_at, id`,
  )

/** An advisory lock, so that one token is created at a time. */
const tokenLock = sql`select pg_advisory_xact_lock(hashtext(${operatorTokenLock}), 0)`

/** Creates a token; undefined where a valid one has its name. In a transaction, as the changes below. */
export async function createToken(db: Database, token: NewToken): Promise<CreatedToken | undefined> {
  await db.rows(tokenLock)
  const namesake = await db.first(
    sql`select from chancery_access.operator_token where name = ${token.name} and ${isLive} limit 1`,
  )
  return namesake ? undefined : insertToken(db, token)
}

async function insertToken(db: Database, { name, roles, expiresAt }: NewToken): Promise<CreatedToken> {
  const text = generateOperatorToken()
  const id = `tok_${randomBytes(8).toString('base64url').replace(/[-_]/g, '0')}`
  const record = await db.first<OperatorTokenRecord>(sql`
    insert into chancery_access.operator_token (id, name, hash, roles, created_at, expires_at)
    values (${id}, ${name}, ${hashOperatorToken(text)}, ${[...roles]}, clock_timestamp(), ${expiresAt})
    returning ${columns}`)
  if (!record) throw new Error('an inserted operator token was not returned')
  return { text, record }
}

/** Why a token cannot be rotated. */
export type RotationProblem = 'unknown' | 'ended' | { replacedBy: string }

/**
 * Creates a token of the same name and roles, and lets the old one expire after the overlap. The new one expires at `expiresAt`; if that
 * is undefined, it gets the lifetime of the old one.
 */
export async function rotateToken(
  db: Database,
  id: string,
  { overlapHours, expiresAt }: { overlapHours: number; expiresAt: string | null | undefined },
): Promise<CreatedToken | RotationProblem> {
  await db.rows(tokenLock)
  const old = await db.first<OperatorTokenRecord & { is_live: boolean; next_expiry: string | null }>(sql`
    select ${columns}, (${isLive}) as is_live, clock_timestamp() + (expires_at - created_at) as next_expiry
    from chancery_access.operator_token where id = ${id}`)
  if (!old) return 'unknown'
  if (!old.is_live) return 'ended'
  const newer = await db.first<{ id: string }>(sql`
    select id from chancery_access.operator_token
    where name = ${old.name} and created_at > ${old.created_at} and ${isLive} order by created_at desc limit 1`)
  if (newer) return { replacedBy: newer.id }
  const made = await insertToken(db, {
    name: old.name,
    roles: old.roles,
    expiresAt: expiresAt === undefined ? old.next_expiry : expiresAt,
  })
  if (overlapHours === 0) await revokeToken(db, id)
  else
    await db.rows(sql`
      update chancery_access.operator_token
      set expires_at = least(expires_at, clock_timestamp() + make_interval(hours => ${overlapHours})) where id = ${id}`)
  return made
}

/** Revokes a token; undefined for an unknown id. Effective at once: every request looks its token up. */
export const revokeToken = (db: Database, id: string): Promise<OperatorTokenRecord | undefined> =>
  db.first<OperatorTokenRecord>(sql`
    update chancery_access.operator_token
    set revoked_at = coalesce(revoked_at, date_trunc('milliseconds', clock_timestamp())) where id = ${id} returning ${columns}`)

/** Deletes tokens that ended too long ago to be listed. */
export async function pruneTokens(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_access.operator_token
    where least(revoked_at, expires_at) < clock_timestamp() - make_interval(days => ${limits.endedTokenDays})`)
}
