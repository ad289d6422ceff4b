import type { Contract } from '@chancery/contract'
import { receiveBatch } from '../ingest/receive.ts'
import { createFactValidator } from '../ingest/validate-fact.ts'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, type DatabasePool, raw, sql } from '../store/database.ts'
import { BackupError } from './format.ts'

/** The result of applying redactions that are newer than the backup. */
export interface ReplayResult {
  replayed: number
  /** Redactions of entities that are not in the backup, or that its game does not allow. */
  rejected: { fact: Record<string, unknown>; reason: string }[]
}

/** The entries that the database's ledger lacks, and that no later entry repeats, oldest first. */
async function missingFrom(db: Database, entries: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
  return db.rows<LedgerEntry>(sql`
    select e.op, e.at, e.fact
    from json_to_recordset(${JSON.stringify(entries)}::json) as e (op text, at timestamptz, fact jsonb)
    where not exists (select from chancery_secret.redaction r where r.op = e.op and r.fact = e.fact and r.at >= e.at)
    group by e.op, e.at, e.fact order by e.at`)
}

/**
 * Applies redactions that are newer than the backup, as one batch inside the open transaction. Rejected ones are left out and returned: an
 * entity that does not exist needs no redaction.
 */
export async function replayRedactions(
  db: Database,
  contract: Contract,
  { entries, batch }: { entries: readonly LedgerEntry[]; batch: string },
): Promise<ReplayResult> {
  const rejected: ReplayResult['rejected'] = []
  let facts = (await missingFrom(db, entries)).map(({ fact }) => fact)
  const context = { pool: poolWithin(db), contract, validate: createFactValidator(contract) }
  while (facts.length > 0) {
    const outcome = await receiveBatch(context, batch, { facts }, { keepsRejected: false })
    if (outcome.status === 'applied' || outcome.status === 'duplicate') break
    // Lines are positions from 1. A rejection without a line concerns the batch as a whole.
    const reasons = new Map(outcome.refused.map(({ line, reason }) => [line, reason]))
    const left = facts.filter((_, index) => !reasons.has(index + 1))
    if (outcome.status !== 'refused' || left.length === facts.length)
      throw new BackupError(
        `the redactions since the backup cannot be applied (${outcome.refused[0]?.reason ?? outcome.status}): nothing was restored`,
      )
    for (const [index, fact] of facts.entries()) {
      const reason = reasons.get(index + 1)
      if (reason !== undefined) rejected.push({ fact, reason })
    }
    facts = left
  }
  return { replayed: facts.length, rejected }
}

/** Runs a batch within the open transaction, as a savepoint. */
function poolWithin(db: Database): DatabasePool {
  const run = async (statements: string[]) => {
    for (const statement of statements) await db.rows(raw(statement))
  }
  return {
    ...db,
    async transaction(work) {
      await db.rows(sql`savepoint batch`)
      try {
        return await work({ ...db, run })
      } catch (error) {
        await db.rows(sql`rollback to savepoint batch`)
        throw error
      } finally {
        await db.rows(sql`release savepoint batch`)
      }
    },
    connection: () => Promise.reject(new Error('the restore has one connection only')),
    close: async () => undefined,
  }
}
