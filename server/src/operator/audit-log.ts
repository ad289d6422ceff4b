import { operatorOperations } from '@chancery/contract'
import {
  type AuditActor,
  type AuditEntry,
  addAuditLines,
  beginAuditLine,
  completeAuditLine,
} from '../access/audit-log.ts'
import type { Database } from '../store/database.ts'

/** The action in the lines of batches. */
export const batchAction = `${operatorOperations.factsSend.method} ${operatorOperations.factsSend.path}`

/** Audit log of the operator API. */
export interface AuditLog {
  /** Runs work with a line that is written before and completed after it, so that nothing is done without one. */
  record<T extends AuditOutcome>(actor: AuditActor, action: string, work: () => Promise<T>): Promise<T>
  /** Adds the outcome of a batch. Lines are written together, within a second. */
  recordBatch(actor: AuditActor, batch: AuditOutcome): void
  /** Writes pending lines. */
  flush(): Promise<void>
  close(): Promise<void>
}

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

export function createAuditLog({ db, onError, now = Date.now }: AuditLogOptions): AuditLog {
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
    async record(actor, action, work) {
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
    recordBatch(actor, { status, subject }) {
      const at = new Date(now()).toISOString()
      pending.push({ ...actor, at, action: batchAction, subject: safe(subject), status })
    },
    flush,
    async close() {
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
