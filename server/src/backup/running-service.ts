import { type Database, sql } from '../store/database.ts'
import { BackupError } from './backup-error.ts'

/** @throws {BackupError} while a service is connected to this database: every one keeps a session that waits for the pulse. */
export async function refuseRunningService(db: Database): Promise<void> {
  const found = await db.first<{ sessions: number }>(sql`
    select count(*) as sessions from pg_stat_activity
    where datname = current_database() and application_name = 'chancery pulse'`)
  if (found?.sessions)
    throw new BackupError(
      `a Chancery is running on this database (sessions named "chancery pulse": ${found.sessions}): stop every process of it, then restore`,
    )
}
