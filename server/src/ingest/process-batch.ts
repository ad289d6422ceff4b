import type { Contract } from '@chancery/contract'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, type DatabasePool, isUnavailable } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { BatchRejectedError, type Rejection, rejectionsMax } from './batch.ts'
import { type DroppedDeadLetter, storeDeadLetter } from './dead-letters.ts'
import type { Commit, RawBatch } from './split-batches.ts'
import type { SpooledBatch } from './spool.ts'
import type { FactValidator } from './validate-fact.ts'

/**
 * The result of one batch.
 * - `applied`: it is durable. `duplicate`: it was applied before, and was not applied again.
 * - `conflict`: another batch has this id. `overtaken`: the last batch of its feed is not the one that it names.
 * - `refused`: the facts in `refused` are wrong, and nothing is applied; `is_kept`: the batch is in the dead-letter store.
 * - `unavailable`: the database could not be reached; sending the batch again shows whether it was stored. The batches after it in
 *   the stream are not applied either: a batch must not overtake the one before it.
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
  /** Records redactions outside the database before the batch is acknowledged. */
  recordRedactions?: (entries: LedgerEntry[]) => Promise<void>
  /** Called for dead letters that are dropped, or not stored, for lack of room. */
  onDropped?: (dropped: readonly DroppedDeadLetter[]) => void
}

/** `keepsRejected`: rejected batches go to the dead-letter store. A sender that will send them in another form turns it off. */
export interface ReceiveOptions {
  keepsRejected?: boolean
}

/** How batches are applied: each in a transaction of its own, or, in a dry run, all in one that is rolled back. */
export interface TransactionRunner {
  inTransaction(work: (db: Database) => Promise<Applied>): Promise<Applied>
  isDryRun: boolean
}

/** Applies a batch and returns its outcome. The batch id is the idempotency key: a batch that is sent again is a `duplicate`. */
export async function processBatch(
  context: IngestContext,
  spooled: SpooledBatch,
  runner: TransactionRunner,
): Promise<Outcome> {
  try {
    const applied = await runner.inTransaction(db => applyBatch(db, context.contract, spooled))
    if (applied.status === 'applied' || applied.status === 'duplicate') {
      const { redactions, ...counts } = applied
      if (redactions.length > 0 && !runner.isDryRun) await context.recordRedactions?.(redactions)
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
        { line: 0, path: '', reason: `the database cannot store a value: ${error.message}` },
      ])
    if (isUnavailable(error)) return unavailableOutcome(spooled.id)
    throw error
  }
}

/** Stores a rejected batch. One that cannot be stored, because the database is unavailable or does not take its text, stays rejected. */
export async function storeIfRejected(
  { pool, onDropped }: IngestContext,
  outcome: Outcome,
  { raw, commit }: { raw: RawBatch; commit: Commit },
): Promise<Outcome> {
  const { batch: id, status } = outcome
  if (status !== 'refused' || id === null) return outcome
  // The sender counts the lines of its stream; the dead letter counts its own.
  const rejections = outcome.refused.map(rejection => ({
    ...rejection,
    line: raw.lineInContent(rejection.line),
  }))
  try {
    const { isKept, dropped } = await pool.transaction(db =>
      storeDeadLetter(db, { id, raw, commit, rejections }),
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
  overtaken: '`after` is not the last batch of the feed: read the feed, and continue from its last batch',
}

/** SQLSTATE 22 (data exception) and 23 (integrity): the facts are wrong, though no validation named the line. */
const isValueError = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))
