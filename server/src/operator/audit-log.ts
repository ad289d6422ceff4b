import { limits, operatorOperations, type QueryOf, type ResponseOf } from '@chancery/contract'
import { type Database, join, sql } from '../store/database.ts'

/** The action in the lines of batches. */
export const batchAction = `${operatorOperations.factsSend.method} ${operatorOperations.factsSend.path}`

type AuditLine = ResponseOf<typeof operatorOperations.logList>['data'][number]
/** The operator token of an action. */
type AuditActor = Pick<AuditLine, 'token_id' | 'token_name'>
/** A line that is complete when it is written. */
type AuditEntry = Omit<AuditLine, 'id'>

export type AuditLog = ReturnType<typeof createAuditLog>

/** The status of the response and the id of the changed item. */
export interface AuditOutcome {
  status: number
  subject: string | null
}

export interface AuditLogOptions {
  /** Acts as the access role. */
  db: Database
  onError: (error: unknown) => void
  now?: () => number
}

const flushEveryMs = 500
/** While the database is unavailable no batch is applied, so that few lines are pending. */
const pendingMax = 10_000

/** Prefixes of secrets. A secret sent in place of an id must not reach the log. */
const secret = /^(chk|cho|whsec)_/

/** Audit log of the operator API. */
export function createAuditLog({ db, onError, now = Date.now }: AuditLogOptions) {
  let pending: AuditEntry[] = []
  let flushing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void flush().catch(onError), flushEveryMs)
  timer.unref()

  /** One write at a time keeps the order of lines. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => undefined).then(write)
    return flushing
  }

  async function write(): Promise<void> {
    if (pending.length === 0) return
    const lines = pending
    pending = []
    try {
      await addAuditLines(db, lines)
    } catch (error) {
      pending = [...lines, ...pending].slice(-pendingMax)
      throw error
    }
  }

  return {
    /** Runs work with a line that is written before and completed after it, so that nothing is done without one. */
    async record<T extends AuditOutcome>(
      actor: AuditActor,
      action: string,
      work: () => Promise<T>,
    ): Promise<T> {
      const line = await beginAuditLine(db, actor, action)
      const complete = ({ status, subject }: AuditOutcome) =>
        // The work is done and the caller gets its response. The line stays without a status.
        completeAuditLine(db, line, { status, subject: safe(subject) }).catch(onError)
      try {
        const outcome = await work()
        await complete(outcome)
        return outcome
      } catch (error) {
        await complete({ status: statusOf(error), subject: null })
        throw error
      }
    },
    /** Adds the outcome of a batch. Lines are written together, within a second. */
    recordBatch(actor: AuditActor, { status, subject }: AuditOutcome): void {
      const at = new Date(now()).toISOString()
      pending.push({ ...actor, at, action: batchAction, subject: safe(subject), status })
    },
    /** Writes pending lines. */
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}

const safe = (subject: string | null) => (subject !== null && secret.test(subject) ? null : subject)

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : 500
}

/** Stored until the status is known. */
const unknownStatus = 0

/** Writes a line before its action. Returns the id of the line. */
async function beginAuditLine(db: Database, actor: AuditActor, action: string): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    insert into chancery_access.audit_log (at, token_id, token_name, action, status)
    values (date_trunc('milliseconds', clock_timestamp()), ${actor.token_id}, ${actor.token_name}, ${action}, ${unknownStatus})
    returning id`)
  if (!row) throw new Error('an inserted line of the audit log was not returned')
  return row.id
}

/** Adds the outcome to a line. */
async function completeAuditLine(
  db: Database,
  id: number,
  { status, subject }: { status: number; subject: string | null },
): Promise<void> {
  await db.rows(sql`
    update chancery_access.audit_log set status = ${status}, subject = ${subject} where id = ${id}`)
}

/** Writes complete lines, in order. */
async function addAuditLines(db: Database, lines: readonly AuditEntry[]): Promise<void> {
  await db.rows(sql`
    insert into chancery_access.audit_log (at, token_id, token_name, action, subject, status)
    select * from unnest(${lines.map(line => line.at)}::timestamptz[], ${lines.map(line => line.token_id)}::text[],
      ${lines.map(line => line.token_name)}::text[], ${lines.map(line => line.action)}::text[],
      ${lines.map(line => line.subject)}::text[], ${lines.map(line => line.status)}::smallint[])`)
}

export type AuditFilter = QueryOf<typeof operatorOperations.logList>

/** Lines before an id, newest first. */
export function listAuditLines(db: Database, filter: AuditFilter): Promise<AuditLine[]> {
  const { limit = 100, before = Number.MAX_SAFE_INTEGER, action, token_id, subject, since, until } = filter
  const conditions = [
    sql`id < ${before}`,
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(token_id === undefined ? [] : [sql`token_id = ${token_id}`]),
    ...(subject === undefined ? [] : [sql`subject collate "C" = ${subject}`]),
    ...(since === undefined ? [] : [sql`at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`at < ${until}::timestamptz`]),
    // As in the partial indexes.
    ...(filter.batches === false ? [sql`action <> 'POST /facts'`] : []),
  ]
  return db.rows<AuditLine>(sql`
    select id, at, token_id, token_name, action, subject, nullif(status, ${unknownStatus}) as status
    from chancery_access.audit_log where ${join(conditions, ' and ')} order by id desc limit ${limit}`)
}

/** Deletes old lines, and per action those above the limit. Lines of batches are many, and kept only as long as the ids of batches. */
export async function pruneAuditLog(
  db: Database,
  batchAction: string,
  linesMax: number = limits.auditLogLinesPerAction,
): Promise<void> {
  const before = (days: number) => sql`at < clock_timestamp() - make_interval(days => ${days})`
  await db.rows(sql`
    delete from chancery_access.audit_log
    where ${before(limits.batchIdDays)} and (action = ${batchAction} or ${before(limits.auditLogDays)})`)
  // Counting needs no sort, and few actions exceed the limit.
  const crowded = await db.rows<{ action: string }>(sql`
    select action from chancery_access.audit_log group by action having count(*) > ${linesMax}`)
  for (const { action } of crowded)
    await db.rows(sql`
      delete from chancery_access.audit_log where action = ${action} and id <= (
        select id from chancery_access.audit_log where action = ${action} order by id desc offset ${linesMax} limit 1)`)
}
