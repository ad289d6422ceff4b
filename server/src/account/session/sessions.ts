import { type Landing, limits, type NationSummary } from '@chancery/contract'
import { createBatchLoader } from '../../store/batch-loader.ts'
import { type Database, sql } from '../../store/database.ts'
import {
  joinNationOf,
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryOf,
} from '../nation-summary.ts'
import type { TokenHash } from './tokens.ts'

/** A session that goes on, with the nation that its player leads now. */
export interface SessionRecord {
  playerId: string
  landing: Landing
  expiresAt: string
  nation: NationSummary | null
  isSuspended: boolean
}

interface SessionRow extends Omit<SessionRecord, 'nation'>, NationSummaryRow {}

const isActive = sql`s.ended_at is null and s.expires_at > clock_timestamp()`

/** Whom a session is for, and where it begins. */
export interface SignIn {
  playerId: string
  landing: Landing
}

/** Begins a session, unless the player is suspended. */
export async function startSession(db: Database, hash: TokenHash, who: SignIn): Promise<boolean> {
  const row = await db.first(sql`
    insert into chancery_access.session (hash, player_id, landing, created_at, expires_at)
    select ${hash}, ${who.playerId}, ${who.landing}, t.at,
      date_trunc('milliseconds', t.at + make_interval(hours => ${limits.sessionLifetimeHours}))
    from (select clock_timestamp() as at) t
    where not exists (select from chancery_access.suspension where player_id = ${who.playerId})
    returning player_id`)
  return row !== undefined
}

/** The sessions of these tokens that go on, by the name of each hash. */
async function findSessions(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, SessionRecord>> {
  const rows = await db.rows<SessionRow & { hash: Buffer }>(sql`
    select s.hash, s.player_id as "playerId", s.landing, s.expires_at as "expiresAt",
      exists (select from chancery_access.suspension x where x.player_id = s.player_id) as "isSuspended", ${nationSummaryColumns}
    from chancery_access.session s ${joinNationOf(sql`s.player_id`)}
    where s.hash = any(${names.map(name => Buffer.from(name, 'base64url'))}::bytea[]) and ${isActive}`)
  return new Map(
    rows.map(row => {
      const { hash, playerId, landing, expiresAt, isSuspended } = row
      return [nameOf(hash), { playerId, landing, expiresAt, isSuspended, nation: nationSummaryOf(row) }]
    }),
  )
}

const nameOf = (hash: Buffer) => hash.toString('base64url')

/** The session of a token; undefined where it has ended or there was none. */
export type FindSession = (hash: TokenHash) => Promise<SessionRecord | undefined>

/**
 * Reads sessions on every call: whose the nation is may have changed. Those that are asked for at the same time are read together, so
 * that a flood of invented tokens does not flood the database.
 */
export function createFindSession(db: Database): FindSession {
  const ask = createBatchLoader((names: readonly string[]) => findSessions(db, names))
  return hash => ask(nameOf(hash))
}

/** Whether a session goes on, as this transaction sees it. */
export const isSessionActive = async (db: Database, hash: TokenHash): Promise<boolean> =>
  (await db.first(sql`select from chancery_access.session s where s.hash = ${hash} and ${isActive}`)) !==
  undefined

/** Ends a session. Returns whose it was; undefined where it had ended or there was none. */
export const endSession = (db: Database, hash: TokenHash): Promise<{ playerId: string } | undefined> =>
  db.first(sql`
    update chancery_access.session s set ended_at = clock_timestamp()
    where s.hash = ${hash} and ${isActive} returning s.player_id as "playerId"`)

/** Ends all sessions of a player. Returns how many went on. */
export async function endSessionsOf(db: Database, playerId: string): Promise<number> {
  const ended = await db.rows(sql`
    update chancery_access.session s set ended_at = clock_timestamp()
    where s.player_id = ${playerId} and ${isActive} returning s.hash`)
  return ended.length
}
