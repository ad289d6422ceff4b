import { type Database, type Sql, sql } from '../store/database.ts'

/** What signs for endpoint `e`: its secret, and for a while the one before it. */
export const secretsAt = (nowMs: number): Sql => sql`
  array_remove(array[e.secret, case when e.previous_secret_ends_at > ${new Date(nowMs).toISOString()} then e.previous_secret end], null)`

/** What signs a message to an endpoint, the newest first. */
export async function findSecrets(db: Database, endpointId: string, nowMs: number): Promise<string[]> {
  const row = await db.first<{ secrets: string[] }>(sql`
    select ${secretsAt(nowMs)} as secrets from chancery_outbound.endpoint e where e.id = ${endpointId}`)
  return row?.secrets ?? []
}
