import { operatorOperations } from '@chancery/contract'
import {
  type AuditActor,
  type AuditEntry,
  addAuditLines,
  beginAuditLine,
  completeAuditLine,
} from '../access/audit-log.ts'
import type { Database } from '../store/database.ts'

/** What every line of a batch says was done. */
export const batchAction = `${operatorOperations.factsSend.method} ${operatorOperations.factsSend.path}`

/** Writes down what is done by the operator listener. */
export interface AuditLog {
  /** Does something that is written down before and completed after: nothing can be done without a line. */
  record<T extends AuditOutcome>(actor: AuditActor, action: string, work: () => Promise<T>): Promise<T>
  /** Writes down what became of a batch, together with others, within a second. */
  recordBatch(actor: AuditActor, batch: AuditOutcome): void
  /** Writes what waits. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** What became of it: the status that is answered, and what it was done to. */
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
/** While the database is away no batch is applied: what waits is little. */
const waitingMax = 10_000

/** How secrets begin that this service hands out. Whoever sends one where an id belongs must not find it in the log. */
const secret = /^(chk|cho|whsec)_/

export function createAuditLog({ db, onError, now = Date.now }: AuditLogOptions): AuditLog {
  let waiting: AuditEntry[] = []
  let flushing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void flush().catch(onError), flushEveryMs)
  timer.unref()

  /** One at a time, so that lines stay in their order. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => undefined).then(write)
    return flushing
  }

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const lines = waiting
    waiting = []
    try {
      await addAuditLines(db, lines)
    } catch (error) {
      waiting = [...lines, ...waiting].slice(-waitingMax)
      throw error
    }
  }

  return {
    async record(actor, action, work) {
      const line = await beginAuditLine(db, actor, action)
      const complete = ({ status, subject }: AuditOutcome) =>
        // It is done, and the caller is told so. The line stays, without its status.
        completeAuditLine(db, line, { status, subject: safe(subject) }).catch(onError)
      try {
        const done = await work()
        await complete(done)
        return done
      } catch (error) {
        await complete({ status: statusOf(error), subject: null })
        throw error
      }
    },
    recordBatch(actor, { status, subject }) {
      const at = new Date(now()).toISOString()
      waiting.push({ ...actor, at, action: batchAction, subject: safe(subject), status })
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
