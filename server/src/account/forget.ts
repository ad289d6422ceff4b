import { type Database, sql } from '../store/database.ts'

const logDays = 90
/** Long enough to look into why somebody could not sign in. */
const endedHours = 24

/** Forgets what was over long ago: links, sessions, and old lines of the account log. */
export async function pruneAccounts(db: Database): Promise<void> {
  await db.rows(sql`
    delete from chancery_access.handover where expires_at < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.session
    where least(ended_at, expires_at) < clock_timestamp() - make_interval(hours => ${endedHours})`)
  await db.rows(sql`
    delete from chancery_access.account_log where at < clock_timestamp() - make_interval(days => ${logDays})`)
}
