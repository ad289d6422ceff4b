import type { AccountAction, AccountLogEntry } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** A line of the account log. `detail` is for people, and never a secret. */
export interface AccountLogLine {
  playerId: string
  action: AccountAction
  /** The id of what it was done to. */
  subject?: string
  detail?: string
}

/** Writes a line, in the transaction of the change it tells of wherever the change is one of this role's. */
export async function writeAccountLog(
  db: Database,
  { playerId, action, subject, detail }: AccountLogLine,
): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.account_log (player_id, at, action, subject, detail)
    values (${playerId}, date_trunc('milliseconds', clock_timestamp()), ${action}, ${subject ?? null}, ${detail ?? null})`)
}

const linesShown = 200

/** What was done in the settings of a player, newest first. */
export const listAccountLog = (db: Database, playerId: string): Promise<AccountLogEntry[]> =>
  db.rows(sql`
    select at, action, subject, detail from chancery_access.account_log
    where player_id = ${playerId} order by id desc limit ${linesShown}`)
