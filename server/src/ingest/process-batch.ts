import type { BatchOutcome, Contract } from '@chancery/contract'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, type DatabasePool, isUnavailable, sql } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { BatchRejectedError, type Rejection, rejectionsMax } from './batch.ts'
import { type DroppedDeadLetter, storeDeadLetter } from './dead-letters.ts'
import type { SetAside } from './set-aside.ts'
import { finishRetry, storeSetAside } from './set-aside-store.ts'
import type { Commit, RawBatch, ReceivedBatch } from './split-batches.ts'
import type { SpooledBatch } from './spool.ts'
import type { FactValidator } from './validate-fact.ts'

/** The result of one batch. After `unavailable`, later batches of the stream are not applied either: none may overtake another. */
export interface Outcome extends BatchOutcome {
  events: number
}

const rejectedOutcome = (batch: string | null, rejections: Rejection[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  set_aside: 0,
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
  /** Called before the world is emptied at the end of an era. */
  beforeReset?: () => Promise<void>
  /** Called for dead letters that are dropped, or not stored, for lack of room. */
  onDropped?: (dropped: readonly DroppedDeadLetter[]) => void
}

/** How batches are applied: each in a transaction of its own, or, in a dry run, all in one that is rolled back. */
export interface TransactionRunner {
  inTransaction(work: (db: Database) => Promise<Applied>): Promise<Applied>
  isDryRun: boolean
}

export const transactionPerBatch = ({ pool }: IngestContext): TransactionRunner => ({
  inTransaction: work => pool.transaction(work),
  isDryRun: false,
})

/** Batches in the open transaction of a connection: each after a savepoint. */
export const savepointPerBatch =
  (db: Database): TransactionRunner['inTransaction'] =>
  async work => {
    await db.rows(sql`savepoint batch`)
    try {
      const applied = await work(db)
      // Open savepoints nest, and each makes reading the rows of this transaction slower.
      await db.rows(sql`release savepoint batch`)
      return applied
    } catch (error) {
      await db.rows(sql`rollback to savepoint batch`)
      await db.rows(sql`release savepoint batch`)
      throw error
    }
  }

export interface ProcessOptions {
  runner: TransactionRunner
  keepsRejected: boolean
  /** By line, the dead letters that the batch applies again. */
  retriedIds?: readonly string[]
}

export async function processReceived(
  context: IngestContext,
  received: ReceivedBatch,
  { keepsRejected, ...options }: ProcessOptions,
): Promise<Outcome> {
  const outcome =
    'rejections' in received
      ? rejectedOutcome(received.id, received.rejections)
      : await processBatch(context, received, options)
  return keepsRejected ? storeIfRejected(context, outcome, received) : outcome
}

/**
 * Applies a batch and returns its outcome. The batch id is the idempotency key: a batch that is sent again is a `duplicate`. A batch that
 * sets facts aside is tried until the rest of it fits.
 */
async function processBatch(
  context: IngestContext,
  { batch, setAside, commit }: Extract<ReceivedBatch, { batch: SpooledBatch }>,
  { runner, retriedIds = [] }: Omit<ProcessOptions, 'keepsRejected'>,
): Promise<Outcome> {
  const { id } = batch
  const isRetry = retriedIds.length > 0
  if (batch.reset && !runner.isDryRun && !(await isApplied(context, id))) await context.beforeReset?.()
  for (;;) {
    const rest = { ...(setAside?.without(batch) ?? batch), retriedIds }
    if (isRetry && rest.factCount === 0) return rejectedOutcome(id, setAside?.rejections ?? [])
    try {
      let dropped: DroppedDeadLetter[] = []
      const applied = await runner.inTransaction(async db => {
        const outcome = await applyBatch(db, context.contract, rest)
        if (setAside && outcome.status === 'applied')
          dropped = isRetry
            ? await finishRetry(db, setAside.facts, { batch: id, ids: retriedIds })
            : await storeSetAside(db, setAside.facts, { ...commit, batch: id })
        return outcome
      })
      if (dropped.length > 0 && !runner.isDryRun) context.onDropped?.(dropped)
      return await outcomeOf(context, batch, applied, { setAside, runner })
    } catch (error) {
      if (error instanceof BatchRejectedError) {
        if (await setAside?.addRejected(batch, error.rejections)) continue
        return rejectedOutcome(id, setAside?.whole(error.rejections) ?? error.rejections)
      }
      if (isValueError(error))
        return rejectedOutcome(id, [
          { line: 0, path: '', reason: `the database cannot store a value: ${error.message}` },
        ])
      if (isUnavailable(error)) return unavailableOutcome(id)
      throw error
    }
  }
}

async function isApplied({ pool }: IngestContext, id: string): Promise<boolean> {
  try {
    return (await pool.first(sql`select from chancery_secret.batch where id = ${id}`)) !== undefined
  } catch (error) {
    if (isUnavailable(error)) return true
    throw error
  }
}

async function outcomeOf(
  context: IngestContext,
  { id, factCount }: SpooledBatch,
  applied: Applied,
  { setAside, runner }: { setAside: SetAside | undefined; runner: TransactionRunner },
): Promise<Outcome> {
  if (applied.status === 'applied' || applied.status === 'duplicate') {
    const { redactions, ...counts } = applied
    if (redactions.length > 0 && !runner.isDryRun) await context.recordRedactions?.(redactions)
    const isSetAside = applied.status === 'applied' && setAside
    return {
      batch: id,
      ...counts,
      set_aside: isSetAside ? setAside.count : 0,
      refused: isSetAside ? setAside.rejections : [],
      is_kept: false,
    }
  }
  const rejection = {
    line: 0,
    path: applied.status === 'conflict' ? '/batch' : '/feed',
    reason: notAppliedReasons[applied.status],
  }
  return { ...rejectedOutcome(id, [rejection]), status: applied.status, facts: factCount }
}

/** Stores a rejected batch. One that cannot be stored, because the database is unavailable or does not take its text, stays rejected. */
async function storeIfRejected(
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
