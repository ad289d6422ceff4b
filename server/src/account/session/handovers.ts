import { type HandoverPreview, limits } from '@chancery/contract'
import { type Database, sql } from '../../store/database.ts'
import { playerLock } from '../../store/locks.ts'
import {
  joinNationOf,
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryOf,
} from '../nation-summary.ts'
import type { SignIn } from './sessions.ts'
import { generateToken, hashToken, type TokenHash } from './tokens.ts'

/** A handover link. Its token is not stored. */
export interface NewHandover {
  token: string
  expiresAt: string
}

/** Creates a link that signs a player in, once and within a minute; undefined for a suspended player. Requires the player's lock. */
export async function createHandover(
  db: Database,
  { playerId, landing }: SignIn,
): Promise<NewHandover | undefined> {
  const token = generateToken()
  const row = await db.first<{ expiresAt: string }>(sql`
    insert into chancery_access.handover (hash, player_id, landing, created_at, expires_at)
    select ${hashToken(token)}, ${playerId}, ${landing}, t.at,
      date_trunc('milliseconds', t.at + make_interval(secs => ${limits.handoverLifetimeSeconds}))
    from (select clock_timestamp() as at) t
    where not exists (select from chancery_access.suspension where player_id = ${playerId})
    returning expires_at as "expiresAt"`)
  return row && { token, expiresAt: row.expiresAt }
}

const isRedeemable = sql`
  h.used_at is null and h.expires_at > clock_timestamp()
  and not exists (select from chancery_access.suspension x where x.player_id = h.player_id)`

/** Shows whom a link signs in, without using it up. */
export async function previewHandover(db: Database, hash: TokenHash): Promise<HandoverPreview | undefined> {
  const row = await db.first<NationSummaryRow & Omit<HandoverPreview, 'nation'>>(sql`
    select h.player_id, h.landing, h.expires_at, ${nationSummaryColumns}
    from chancery_access.handover h ${joinNationOf(sql`h.player_id`)} where h.hash = ${hash} and ${isRedeemable}`)
  if (!row) return undefined
  const { player_id, landing, expires_at } = row
  return { player_id, nation: nationSummaryOf(row), landing, expires_at }
}

/** Uses a link up. Of concurrent requests exactly one succeeds. In a transaction: takes the player's lock. */
export async function redeemHandover(db: Database, hash: TokenHash): Promise<SignIn | undefined> {
  const made = await db.first<{ playerId: string }>(sql`
    select player_id as "playerId" from chancery_access.handover where hash = ${hash}`)
  if (!made) return undefined
  await db.rows(playerLock(made.playerId))
  return db.first(sql`
    update chancery_access.handover h set used_at = clock_timestamp()
    where h.hash = ${hash} and ${isRedeemable} returning h.player_id as "playerId", h.landing`)
}
