/**
 * Verification codes, by which a player proves to a bot which nation they lead. A code is stored as a hash, is valid for ten minutes and can be
 * redeemed once. `handlers.ts` redeems them, the operator API and the developer settings issue them.
 */
import { limits, type PublicOf, type ResourceOf } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { codeLock, playerLock } from '../store/locks.ts'
import { type CodeHash, generateCode, hashCode } from './code-text.ts'

export type VerifiedIdentity = PublicOf<ResourceOf<'verified_identity'>>

/** The result of a redemption. */
export type Redemption =
  | { outcome: 'redeemed'; identity: VerifiedIdentity }
  | { outcome: 'unknown' | 'expired' | 'used' }

interface IdentityRow {
  id: string
  nation_name: string
  leader_name: string
  national_score: number
  alliance_id: string | null
  rank: string
  name: string
  tag: string
}

/** Code `c` was issued for this nation `n`, not for an earlier one of the same id. */
const isOfNation = sql`n.id = c.nation_id and n.known_since <= c.created_at`
const isOfLeader = sql`s.player is not distinct from c.player_id`
const nationStillExists = sql`exists (select from chancery_world.nation n where ${isOfNation})`
/** The nation of code `c` exists and has the same leader as when the code was issued. */
const isStillTheirs = sql`exists (
  select from chancery_world.nation n left join chancery_secret.nation_private s on s.nation_id = n.id
  where ${isOfNation} and ${isOfLeader})`

/**
 * Redeems a code in one statement: of any number of simultaneous requests exactly one succeeds, and nation and alliance are of that
 * moment.
 */
export async function redeemCode(
  db: Database,
  hash: CodeHash,
  { boundTo, keyId }: { boundTo: string | undefined; keyId: string | null },
): Promise<Redemption> {
  const row = await db.first<IdentityRow>(sql`
    with redeemed as (
      update chancery_access.verification_code c
      set redeemed_at = clock_timestamp(), redeemed_with_key = ${keyId}
      where c.hash = ${hash} and c.redeemed_at is null and c.expires_at > clock_timestamp()
        and (c.bound_to is null or c.bound_to = ${boundTo ?? null})
        and ${isStillTheirs}
      returning c.nation_id
    )
    select n.id, n.nation_name, n.leader_name, n.national_score, m.alliance_id, m.rank, a.name, a.tag
    from redeemed r
    join chancery_world.nation n on n.id = r.nation_id
    left join (chancery_world.alliance_member m join chancery_world.alliance a on a.id = m.alliance_id) on m.nation_id = n.id`)
  return row
    ? { outcome: 'redeemed', identity: identityOf(row) }
    : { outcome: await failureReason(db, hash, boundTo) }
}

function identityOf({ alliance_id, rank, name, tag, ...nation }: IdentityRow): VerifiedIdentity {
  return {
    verified: true,
    nation,
    alliance: alliance_id === null ? null : { alliance_id, rank, alliances: { name, tag } },
  }
}

/**
 * The leader of a nation is admin_only, so `used` and `expired` never depend on it. An active code whose nation has another leader is
 * `unknown`, like a code of a deleted nation or one that is bound to another account.
 */
async function failureReason(
  db: Database,
  hash: CodeHash,
  boundTo: string | undefined,
): Promise<'unknown' | 'expired' | 'used'> {
  const row = await db.first<{ is_used: boolean }>(sql`
    select c.redeemed_at is not null as is_used from chancery_access.verification_code c
    where c.hash = ${hash} and (c.bound_to is null or c.bound_to = ${boundTo ?? null})
      and (c.redeemed_at is not null or c.expires_at <= clock_timestamp())
      and c.created_at > clock_timestamp() - make_interval(days => ${limits.codeDays})
      and ${nationStillExists}`)
  if (!row) return 'unknown'
  return row.is_used ? 'used' : 'expired'
}

/** Why no code was issued. */
type IssueProblem = 'no_such_nation' | 'too_many_codes'

/** A code without its text. */
export interface CodeRecord {
  id: string
  createdAt: string
  expiresAt: string
  boundTo: string | null
}

/** A redeemed code. `withKey`: the request had an API key. */
export interface RedeemedCodeRecord extends CodeRecord {
  redeemedAt: string
  withKey: boolean
}

const columns = sql`c.id, c.created_at as "createdAt", c.expires_at as "expiresAt", c.bound_to as "boundTo"`

interface NewCode {
  nationId: string
  boundTo: string | null
  /** Required leader of the nation. Default: any. */
  playerId?: string | undefined
}

/** Stores a code, within the limit of active codes per nation and leader. In a transaction. */
async function insertCode(
  db: Database,
  hash: CodeHash,
  { nationId, boundTo, playerId }: NewCode,
): Promise<CodeRecord | IssueProblem> {
  const leader = await db.first<{ player: string | null }>(sql`
    select player from chancery_secret.nation_private where nation_id = ${nationId}`)
  if (leader?.player) await db.rows(playerLock(leader.player))
  // An advisory lock: counts and inserts one code of a nation at a time.
  await db.rows(sql`select pg_advisory_xact_lock(hashtext(${codeLock}), hashtext(${nationId}))`)
  const nation = await db.first<{ active: number; player: string | null }>(sql`
    select s.player, (select count(*) from chancery_access.verification_code c
      where ${isOfNation} and ${isOfLeader} and c.redeemed_at is null and c.expires_at > clock_timestamp()) as active
    from chancery_world.nation n left join chancery_secret.nation_private s on s.nation_id = n.id
    where n.id = ${nationId}`)
  if (!nation || (playerId !== undefined && nation.player !== playerId)) return 'no_such_nation'
  if (nation.active >= limits.codesActivePerNation) return 'too_many_codes'
  const row = await db.first<CodeRecord>(sql`
    insert into chancery_access.verification_code as c (hash, nation_id, player_id, bound_to, created_at, expires_at)
    select ${hash}, ${nationId}, ${nation.player}, ${boundTo}, t.at, date_trunc('milliseconds', t.at + make_interval(secs => ${limits.codeLifetimeSeconds}))
    from (select clock_timestamp() as at) t
    returning ${columns}`)
  if (!row) throw new Error('an inserted code was not returned')
  return row
}

/** A new code with its text, which is not stored. */
export interface IssuedCode extends CodeRecord {
  code: string
}

/** Issues a code for a nation. `boundTo`: the only chat account that may redeem it. In a transaction. */
export async function issueCode(db: Database, wanted: NewCode): Promise<IssuedCode | IssueProblem> {
  const code = generateCode()
  const hash = hashCode(code)
  if (!hash) throw new Error('a generated code is malformed')
  const stored = await insertCode(db, hash, wanted)
  return typeof stored === 'string' ? stored : { code, ...stored }
}

/** A player sees the codes of the nation that they lead, issued while they led it. */
export interface CodeOwner {
  nationId: string
  playerId: string
}

const ofOwner = ({ nationId, playerId }: CodeOwner) =>
  sql`c.nation_id = ${nationId} and c.player_id = ${playerId} and ${isStillTheirs}`

/** The active codes, oldest first. */
export const listActiveCodes = (db: Database, owner: CodeOwner): Promise<CodeRecord[]> =>
  db.rows(sql`
    select ${columns} from chancery_access.verification_code c
    where ${ofOwner(owner)} and c.redeemed_at is null and c.expires_at > clock_timestamp()
    order by c.created_at, c.id`)

/** The latest redemptions within the retention of codes, newest first. */
export const listRedeemedCodes = (
  db: Database,
  owner: CodeOwner,
  limit: number,
): Promise<RedeemedCodeRecord[]> =>
  db.rows(sql`
    select ${columns}, c.redeemed_at as "redeemedAt", c.redeemed_with_key is not null as "withKey"
    from chancery_access.verification_code c
    where ${ofOwner(owner)} and c.redeemed_at is not null
      and c.created_at > clock_timestamp() - make_interval(days => ${limits.codeDays})
    order by c.redeemed_at desc, c.id limit ${limit}`)

/** Deletes an active code, which is unknown from then on. False where the owner has no such code. */
export async function cancelCode(db: Database, owner: CodeOwner, id: string): Promise<boolean> {
  const row = await db.first(sql`
    delete from chancery_access.verification_code c
    where c.id = ${id} and ${ofOwner(owner)} and c.redeemed_at is null and c.expires_at > clock_timestamp()
    returning c.id`)
  return row !== undefined
}

/** Deletes codes that are older than their retention. */
export async function deleteOldCodes(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_access.verification_code
    where created_at < clock_timestamp() - make_interval(days => ${limits.codeDays})`)
}
