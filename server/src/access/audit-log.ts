import { limits } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** The operator token of an action. */
export interface AuditActor {
  token_id: string
  token_name: string
}

/** A line that is complete when it is written. */
export interface AuditEntry extends AuditActor {
  at: string
  action: string
  subject: string | null
  status: number
}

export interface AuditLine extends AuditActor {
  id: number
  at: string
  action: string
  subject: string | null
  status: number | null
}

/** Stored until the status is known. */
const unknownStatus = 0

/** Writes a line before its action. Returns the id of the line. */
export async function beginAuditLine(db: Database, actor: AuditActor, action: string): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    insert into chancery_access.operator_log (at, token_id, token_name, action, status)
    values (date_trunc('milliseconds', clock_timestamp()), ${actor.token_id}, ${actor.token_name}, ${action}, ${unknownStatus})
    returning id`)
  if (!row) throw new Error('an inserted line of the audit log was not returned')
  return row.id
}

/** Adds the outcome to a line. */
export async function completeAuditLine(
  db: Database,
  id: number,
  { status, subject }: { status: number; subject: string | null },
): Promise<void> {
  await db.rows(sql`
    update chancery_access.operator_log set status = ${status}, subject = ${subject} where id = ${id}`)
}

/** Writes complete lines, in order. */
export async function addAuditLines(db: Database, lines: readonly AuditEntry[]): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.operator_log (at, token_id, token_name, action, subject, status)
    select * from unnest(${lines.map(line => line.at)}::timestamptz[], ${lines.map(line => line.token_id)}::text[],
      ${lines.map(line => line.token_name)}::text[], ${lines.map(line => line.action)}::text[],
      ${lines.map(line => line.subject)}::text[], ${lines.map(line => line.status)}::smallint[])`)
}

/** Lines before an id, newest first. */
export const listAuditLines = (
  db: Database,
  { limit, before }: { limit: number; before: number | undefined },
): Promise<AuditLine[]> =>
  db.rows<AuditLine>(sql`
    select id, at, token_id, token_name, action, subject, nullif(status, ${unknownStatus}) as status
    from chancery_access.operator_log where id < ${before ?? Number.MAX_SAFE_INTEGER} order by id desc limit ${limit}`)

/** Deletes old lines, and per action those above the limit. Lines of batches are many, and kept only as long as the ids of batches. */
export async function pruneAuditLog(
  db: Database,
  batchAction: string,
  linesMax: number = limits.auditLogLinesPerAction,
): Promise<void> {
  const before = (days: number) => sql`at < clock_timestamp() - make_interval(days => ${days})`
  await db.rows(sql`
    delete from chancery_access.operator_log
    where ${before(limits.batchIdDays)} and (action = ${batchAction} or ${before(limits.auditLogDays)})`)
  // Counting needs no sort, and few actions exceed the limit.
  const crowded = await db.rows<{ action: string }>(sql`
    select action from chancery_access.operator_log group by action having count(*) > ${linesMax}`)
  for (const { action } of crowded)
    await db.rows(sql`
      delete from chancery_access.operator_log where action = ${action} and id <= (
        select id from chancery_access.operator_log where action = ${action} order by id desc offset ${linesMax} limit 1)`)
}
