import type { Contract } from '@chancery/contract'
import type { RedactionNote } from '../redaction/ledger.ts'
import { RefusedBatch } from '../store/batch.ts'
import { type Database, type DatabasePool, isUnavailable } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import type { FactChecker } from './check-fact.ts'
import type { Dropping } from './dead-letter-limits.ts'
import { type Outcome, refused, unavailable } from './outcome.ts'
import { keepRefused } from './refused.ts'
import type { Commit, Sent } from './sent-text.ts'
import type { SpooledBatch } from './spool.ts'

export interface IngestContext {
  pool: DatabasePool
  contract: Contract
  check: FactChecker
  /** Keeps beside the database what was taken back, before whoever asked for it is told that it is done. */
  noteRedactions?: (notes: RedactionNote[]) => Promise<void>
  /** Called for refused batches that are dropped, or not kept, because there is no room. */
  onDropped?: (dropped: readonly Dropping[]) => void
}

/** Whether what is refused is kept for the operator. Who sends it again in another form does not want that. */
export interface ReceiveOptions {
  keepsRefused?: boolean
}

/** How batches are applied: each in a transaction of its own, or all in one that is undone. */
export interface Runner {
  apply(work: (db: Database) => Promise<Applied>): Promise<Applied>
  isDurable: boolean
  keepsRefused: boolean
}

/** Applies a batch, and says what became of it. */
export async function settleBatch(
  context: IngestContext,
  spooled: SpooledBatch,
  runner: Runner,
): Promise<Outcome> {
  try {
    const applied = await runner.apply(db => applyBatch(db, context.contract, spooled))
    if (applied.status === 'applied' || applied.status === 'duplicate') {
      const { notes, ...counts } = applied
      if (notes.length > 0 && runner.isDurable) await context.noteRedactions?.(notes)
      return { batch: spooled.id, ...counts, refused: [], is_kept: false }
    }
    const refusal = {
      line: 0,
      path: applied.status === 'conflict' ? '/batch' : '/feed',
      reason: whyNot[applied.status],
    }
    return { ...refused(spooled.id, [refusal]), status: applied.status, facts: spooled.factCount }
  } catch (error) {
    if (error instanceof RefusedBatch) return refused(spooled.id, error.refusals)
    if (isValueError(error))
      return refused(spooled.id, [
        { line: 0, path: '', reason: `the database cannot keep a value: ${error.message}` },
      ])
    if (isUnavailable(error)) return unavailable(spooled.id)
    throw error
  }
}

/** What cannot be kept, because the database is away or takes no such text, is refused all the same. */
export async function keepIfRefused(
  { pool, onDropped }: IngestContext,
  outcome: Outcome,
  { sent, commit }: { sent: Sent; commit: Commit },
): Promise<Outcome> {
  const { batch: id, status } = outcome
  if (status !== 'refused' || id === null) return outcome
  // The sender counts the lines of its stream, whoever looks at the batch those of the batch.
  const refusals = outcome.refused.map(refusal => ({ ...refusal, line: sent.placeOf(refusal.line) }))
  try {
    const { isKept, dropped } = await pool.transaction(db => keepRefused(db, { id, sent, commit, refusals }))
    if (dropped.length > 0) onDropped?.(dropped)
    return { ...outcome, is_kept: isKept }
  } catch (error) {
    if (isUnavailable(error) || isValueError(error)) return outcome
    throw error
  }
}

const whyNot = {
  conflict: 'another batch was applied under this id',
  overtaken:
    'the feed has gone on from another batch than `after` names: read the feed, and begin from there',
}

/** SQLSTATE 22 (data exception) and 23 (integrity): the facts are at fault, though no check of ours named the line. */
const isValueError = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))
