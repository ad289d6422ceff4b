import { type AccountLogEntry, accountOperations, type PlayerAction } from '@chancery/contract'
import type { FastifyRequest } from 'fastify'
import { type Database, sql } from '../store/database.ts'
import type { AccountContext, Definers } from './context.ts'
import { listOperatorLines } from './operator-actions.ts'
import { originOf } from './request-origin.ts'

/** A line of the account log. `detail` is for people, and never a secret. */
export interface AccountLogLine {
  playerId: string
  action: PlayerAction
  /** The id of the changed item. */
  subject?: string
  detail?: string
}

/** Writes a line with the origin of its request, where possible in the transaction of its change. */
export async function writeAccountLog(
  db: Database,
  req: Pick<FastifyRequest, 'headers' | 'ip'>,
  { playerId, action, subject, detail }: AccountLogLine,
): Promise<void> {
  const { browser, network } = originOf(req)
  await db.rows(sql`
    insert into chancery_access.account_log (player_id, at, action, subject, detail, browser, network)
    values (${playerId}, date_trunc('milliseconds', clock_timestamp()), ${action}, ${subject ?? null}, ${detail ?? null},
      ${browser}, ${network})`)
}

const linesShown = 200
const logDays = 90

/** The account log of the player, with what the operator did for them. */
export function logRoutes({ player }: Definers, { pools: { access }, webhooks }: AccountContext): void {
  player(accountOperations.logList, async ({ session: { playerId } }) => {
    const own = await access.rows<AccountLogEntry>(sql`
      select at, action, subject, detail, 'player' as by, browser, network from chancery_access.account_log
      where player_id = ${playerId} order by id desc limit ${linesShown}`)
    const endpoints = await webhooks.list({ playerId })
    const byOperator = await listOperatorLines(access, {
      playerId,
      endpointIds: endpoints.map(({ id }) => id),
      days: logDays,
      limit: linesShown,
    })
    // Both are in order. Sorting is stable.
    const lines = [...own, ...byOperator].sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    return { data: lines.slice(0, linesShown) }
  })
}

/** Long enough to investigate a failed sign-in. */
const endedHours = 24

/** Longer than the request log, which names keys. */
const expiredKeyDays = 30

/**
 * Deletes old handover links, sessions, expired keys and lines of the account log. Revoked keys without an expiration are kept: a restore
 * of an older backup must find that they were revoked. So are replaced ones, whose expiration was brought forward, and those in the audit
 * log, which players see through their keys.
 */
export async function pruneAccounts(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_access.handover where expires_at < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.session
    where least(ended_at, expires_at) < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.api_key k
    where k.replaced_by is null and k.expires_at < clock_timestamp() - make_interval(days => ${expiredKeyDays})
      and not exists (select from chancery_access.audit_log l where l.subject = k.id and l.action <> 'POST /facts')`)
  await db.rows(sql`
    delete from chancery_access.account_log where at < clock_timestamp() - make_interval(days => ${logDays})`)
}
