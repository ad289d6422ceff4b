import { type AccountAction, type AccountLogEntry, accountOperations } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import type { AccountContext, Definers } from './context.ts'

/** A line of the account log. `detail` is for people, and never a secret. */
export interface AccountLogLine {
  playerId: string
  action: AccountAction
  /** The id of the changed item. */
  subject?: string
  detail?: string
}

/** Writes a line, where possible in the transaction of its change. */
export async function writeAccountLog(
  db: Database,
  { playerId, action, subject, detail }: AccountLogLine,
): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.account_log (player_id, at, action, subject, detail)
    values (${playerId}, date_trunc('milliseconds', clock_timestamp()), ${action}, ${subject ?? null}, ${detail ?? null})`)
}

const linesShown = 200

/** The account log of the player. */
export function logRoutes({ player }: Definers, { pools }: AccountContext): void {
  player(accountOperations.logList, async ({ session: { playerId } }) => ({
    data: await pools.access.rows<AccountLogEntry>(sql`
      select at, action, subject, detail from chancery_access.account_log
      where player_id = ${playerId} order by id desc limit ${linesShown}`),
  }))
}

const logDays = 90
/** Long enough to investigate a failed sign-in. */
const endedHours = 24

/** Deletes old handover links, sessions and lines of the account log. */
export async function pruneAccounts(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_access.handover where expires_at < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.session
    where least(ended_at, expires_at) < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.account_log where at < clock_timestamp() - make_interval(days => ${logDays})`)
}
