import { type AccountSession, type Landing, limits, type NationSummary } from '@chancery/contract'
import type { FastifyRequest } from 'fastify'
import { createBatchLoader } from '../../store/batch-loader.ts'
import { type Database, type DatabasePool, sql } from '../../store/database.ts'
import { playerLock } from '../../store/locks.ts'
import { AccountError } from '../account-error.ts'
import {
  joinNationOf,
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryOf,
} from '../nation-summary.ts'
import { csrfTokenOf, hashToken, readSessionCookie, type TokenHash } from './tokens.ts'

/** An active session, with the nation that its player leads now. */
interface SessionRecord {
  playerId: string
  landing: Landing
  expiresAt: string
  nation: NationSummary | null
  isSuspended: boolean
}

/** The session of a request. */
export interface Session extends SessionRecord {
  hash: TokenHash
  csrfToken: string
}

interface SessionRow extends Omit<SessionRecord, 'nation'>, NationSummaryRow {}

const isActive = sql`s.ended_at is null and s.expires_at > clock_timestamp()`

/** The player to sign in, and the first page. */
export interface SignIn {
  playerId: string
  landing: Landing
}

/** Starts a session. Returns false for a suspended player. */
export async function startSession(db: Database, hash: TokenHash, signIn: SignIn): Promise<boolean> {
  const row = await db.first(sql`
    insert into chancery_access.session (hash, player_id, landing, created_at, expires_at)
    select ${hash}, ${signIn.playerId}, ${signIn.landing}, t.at,
      date_trunc('milliseconds', t.at + make_interval(hours => ${limits.sessionLifetimeHours}))
    from (select clock_timestamp() as at) t
    where not exists (select from chancery_access.suspension where player_id = ${signIn.playerId})
    returning player_id`)
  return row !== undefined
}

/** The active sessions of some hashes, by the hash in base64url. */
async function findSessions(
  db: Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, SessionRecord>> {
  const rows = await db.rows<SessionRow & { hash: Buffer }>(sql`
    select s.hash, s.player_id as "playerId", s.landing, s.expires_at as "expiresAt",
      exists (select from chancery_access.suspension x where x.player_id = s.player_id) as "isSuspended", ${nationSummaryColumns}
    from chancery_access.session s ${joinNationOf(sql`s.player_id`)}
    where s.hash = any(${hashes.map(hash => Buffer.from(hash, 'base64url'))}::bytea[]) and ${isActive}`)
  return new Map(
    rows.map(row => {
      const { hash, playerId, landing, expiresAt, isSuspended } = row
      const nation = nationSummaryOf(row)
      return [hash.toString('base64url'), { playerId, landing, expiresAt, isSuspended, nation }]
    }),
  )
}

/** The session of a token hash; undefined for none or one that has ended. */
export type FindSession = (hash: TokenHash) => Promise<SessionRecord | undefined>

/**
 * Reads the session on every request, because the player's nation may have changed. Concurrent look-ups are batched, so that a flood of
 * invented tokens does not flood the database.
 */
export function createFindSession(db: Database): FindSession {
  const load = createBatchLoader((hashes: readonly string[]) => findSessions(db, hashes))
  return hash => load(hash.toString('base64url'))
}

interface SessionLookup {
  publicUrl: () => string
  findSession: FindSession
}

/** The hash of the session token in the cookie; undefined without a well-formed one. */
export function presentedHash({ publicUrl }: Pick<SessionLookup, 'publicUrl'>, req: FastifyRequest) {
  const token = readSessionCookie(publicUrl(), req.headers.cookie)
  return token === undefined ? undefined : hashToken(token)
}

/** The session of a request; undefined without one. */
export async function findSessionOf(
  { publicUrl, findSession }: SessionLookup,
  req: FastifyRequest,
): Promise<Session | undefined> {
  const token = readSessionCookie(publicUrl(), req.headers.cookie)
  const hash = token === undefined ? undefined : hashToken(token)
  if (token === undefined || hash === undefined) return undefined
  const session = await findSession(hash)
  return session && { ...session, hash, csrfToken: csrfTokenOf(token) }
}

export const sessionView = ({
  playerId,
  nation,
  landing,
  csrfToken,
  expiresAt,
}: Omit<Session, 'hash' | 'isSuspended'>): AccountSession => ({
  player_id: playerId,
  nation,
  landing,
  csrf_token: csrfToken,
  expires_at: expiresAt,
})

/**
 * Runs a change of the player's data in a transaction. The player may have been deleted since the session was read: the deletion either
 * precedes the transaction, and then there is no session, or follows it.
 * @throws {AccountError} where the session has ended.
 */
export const withActiveSession = <T>(
  { access }: { access: DatabasePool },
  { playerId, hash }: Pick<Session, 'playerId' | 'hash'>,
  work: (db: Database) => Promise<T>,
): Promise<T> =>
  access.transaction(async db => {
    await db.rows(playerLock(playerId))
    const found = await db.first(
      sql`select from chancery_access.session s where s.hash = ${hash} and ${isActive}`,
    )
    if (!found) throw new AccountError('session_required')
    return work(db)
  })

/** Ends a session. Returns its player; undefined for none or one that had ended. */
export const endSession = (db: Database, hash: TokenHash): Promise<{ playerId: string } | undefined> =>
  db.first(sql`
    update chancery_access.session s set ended_at = clock_timestamp()
    where s.hash = ${hash} and ${isActive} returning s.player_id as "playerId"`)

/** Ends all sessions of a player. Returns how many were active. */
export async function endSessionsOf(db: Database, playerId: string): Promise<number> {
  const ended = await db.rows(sql`
    update chancery_access.session s set ended_at = clock_timestamp()
    where s.player_id = ${playerId} and ${isActive} returning s.hash`)
  return ended.length
}
