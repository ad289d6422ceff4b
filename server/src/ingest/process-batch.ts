import type { Contract } from '@chancery/contract'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, type DatabasePool, isUnavailable } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { BatchRejectedError, type Rejection, rejectionsMax } from './batch.ts'
import { type DroppedDeadLetter, storeDeadLetter } from './dead-letters.ts'
import type { Commit, SentBatch } from './split-batches.ts'
import type { SpooledBatch } from './spool.ts'
import type { FactValidator } from './validate-fact.ts'

/**
 * What became of one batch.
 * - `applied`: it is durable. `duplicate`: it had been applied before, and nothing was done again.
 * - `conflict`: another batch had this id. `overtaken`: its feed has gone on from another batch than it says.
 * - `refused`: the facts named in `refused` are wrong, and nothing of it is applied; `is_kept` says whether the operator finds
 *   it among the refused batches.
 * - `unavailable`: the database could not be reached; whether it was stored is known when it is sent again.
 *   Nor is what follows it in the stream applied: a batch must not overtake the one before it.
 */
export interface Outcome {
  batch: string | null
  status: Applied['status'] | 'refused' | 'unavailable'
  facts: number
  events: number
  last_seq: number | null
  refused: Rejection[]
  is_kept: boolean
}

export const rejectedOutcome = (batch: string | null, rejections: Rejection[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: rejections.slice(0, rejectionsMax),
  is_kept: false,
})

export const unavailableOutcome = (batch: string | null): Outcome => ({
  ...rejectedOutcome(batch, []),
  status: 'unavailable',
})

export interface IngestContext {
  pool: DatabasePool
  contract: Contract
  validate: FactValidator
  /** Keeps beside the database what was taken back, before whoever asked for it is told that it is done. */
  recordRedactions?: (notes: LedgerEntry[]) => Promise<void>
  /** Called for refused batches that are dropped, or not kept, because there is no room. */
  onDropped?: (dropped: readonly DroppedDeadLetter[]) => void
}

/** Whether what is refused is kept for the operator. Who sends it again in another form does not want that. */
export interface ReceiveOptions {
  keepsRejected?: boolean
}

/** How batches are applied: each in a transaction of its own, or all in one that is undone. */
export interface TransactionRunner {
  apply(work: (db: Database) => Promise<Applied>): Promise<Applied>
  isDurable: boolean
  keepsRejected: boolean
}

/** Applies a batch, and says what became of it. */
export async function processBatch(
  context: IngestContext,
  spooled: SpooledBatch,
  runner: TransactionRunner,
): Promise<Outcome> {
  try {
    const applied = await runner.apply(db => applyBatch(db, context.contract, spooled))
    if (applied.status === 'applied' || applied.status === 'duplicate') {
      const { notes, ...counts } = applied
      if (notes.length > 0 && runner.isDurable) await context.recordRedactions?.(notes)
      return { batch: spooled.id, ...counts, refused: [], is_kept: false }
    }
    const rejection = {
      line: 0,
      path: applied.status === 'conflict' ? '/batch' : '/feed',
      reason: notAppliedReasons[applied.status],
    }
    return { ...rejectedOutcome(spooled.id, [rejection]), status: applied.status, facts: spooled.factCount }
  } catch (error) {
    if (error instanceof BatchRejectedError) return rejectedOutcome(spooled.id, error.rejections)
    if (isValueError(error))
      return rejectedOutcome(spooled.id, [
        { line: 0, path: '', reason: `the database cannot keep a value: ${error.message}` },
      ])
    if (isUnavailable(error)) return unavailableOutcome(spooled.id)
    throw error
  }
}

/** What cannot be kept, because the database is away or takes no such text, is refused all the same. */
export async function storeIfRejected(
  { pool, onDropped }: IngestContext,
  outcome: Outcome,
  { sent, commit }: { sent: SentBatch; commit: Commit },
): Promise<Outcome> {
  const { batch: id, status } = outcome
  if (status !== 'refused' || id === null) return outcome
  // The sender counts the lines of its stream, whoever looks at the batch those of the batch.
  const rejections = outcome.refused.map(rejection => ({
    ...rejection,
    line: sent.lineInContent(rejection.line),
  }))
  try {
    const { isKept, dropped } = await pool.transaction(db =>
      storeDeadLetter(db, { id, sent, commit, rejections }),
    )
    if (dropped.length > 0) onDropped?.(dropped)
    return { ...outcome, is_kept: isKept }
  } catch (error) {
    if (isUnavailable(error) || isValueError(error)) return outcome
    throw error
  }
}

const notAppliedReasons = {
  conflict: 'another batch was applied under this id',
  overtaken:
    'the feed has gone on from another batch than `after` names: read the feed, and begin from there',
}

/** SQLSTATE 22 (data exception) and 23 (integrity): the facts are at fault, though no check of ours named the line. */
const isValueError = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))
