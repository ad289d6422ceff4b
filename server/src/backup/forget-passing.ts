import { type Database, sql } from '../store/database.ts'

/**
 * Forgets what holds for a moment, and what may have ended since a backup was taken. Sessions, links to sign in and codes work
 * once or until they are ended: those of then must not work again. And the time since is held against no receiver of webhooks.
 * What was delivered is not sent again; what was waiting or under way is, at once and under its own id.
 */
export async function clearEphemeralState(db: Database): Promise<void> {
  await db.rows(sql`delete from chancery_access.session`)
  await db.rows(sql`delete from chancery_access.handover`)
  await db.rows(sql`delete from chancery_access.verification_code where redeemed_at is null`)
  await db.rows(
    sql`update chancery_outbound.endpoint set failing_since = null where failing_since is not null`,
  )
  await db.rows(sql`delete from chancery_outbound.warning`)
  // Whoever had them is gone: nobody waits for a lease to end.
  await db.rows(sql`
    update chancery_outbound.delivery set state = 'pending', due_at = clock_timestamp() where state = 'sending'`)
}
