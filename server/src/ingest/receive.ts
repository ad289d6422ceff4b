/**
 * Ingestion: the only way in for world data. It validates facts, applies each batch in one transaction (all of it or nothing, exactly
 * once by id and content), derives its events, and keeps rejected batches in the dead-letter store. A batch is acknowledged when it is
 * durable. Start here, with the stream; then read `apply-batch.ts` (the transaction) and `changes.ts` (merging); `batch.ts` has the types.
 */
import type { BatchOutcome, Contract } from '@chancery/contract'
import type { LedgerEntry } from '../redaction/ledger.ts'
import { type Database, type DatabasePool, isUnavailable, sql } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { BatchRejectedError, type Rejection, RejectionList, rejectionsMax } from './batch.ts'
import { type DroppedDeadLetter, storeDeadLetter } from './dead-letters.ts'
import {
  type Commit,
  changedEntities,
  isTooDeep,
  prefetched,
  type RawBatch,
  RawBatchRecorder,
  type ReceivedBatch,
  splitIntoBatches,
  tooDeep,
  validateLine,
} from './split-batches.ts'
import { bufferToFile, Spool, type SpooledBatch } from './spool.ts'
import { type FactValidator, isRejected } from './validate-fact.ts'

/** The result of one batch. After `unavailable`, later batches of the stream are not applied either: none may overtake another. */
export interface Outcome extends BatchOutcome {
  events: number
}

const rejectedOutcome = (batch: string | null, rejections: Rejection[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: rejections.slice(0, rejectionsMax),
  is_kept: false,
})

const unavailableOutcome = (batch: string | null): Outcome => ({
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
interface TransactionRunner {
  inTransaction(work: (db: Database) => Promise<Applied>): Promise<Applied>
  isDryRun: boolean
}

/** Reads a stream of facts and applies each batch when its commit arrives. Yields one outcome a batch, as soon as it is durable. */
export async function* receiveFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  { keepsRejected = true }: ReceiveOptions = {},
): AsyncGenerator<Outcome> {
  yield* applyStream(context, input, { runner: transactionPerBatch(context), keepsRejected })
}

/**
 * Dry run: reports the outcome that `receiveFacts` would give each batch, and stores nothing. It starts when the whole stream was
 * received, because no other batch is applied while it runs.
 */
export async function checkFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  report: (outcome: Outcome) => void | Promise<void>,
): Promise<void> {
  const facts = await bufferToFile(input)
  try {
    await checkAll(context, facts.read(), report)
  } finally {
    await facts.clear()
  }
}

async function checkAll(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  report: (outcome: Outcome) => void | Promise<void>,
): Promise<void> {
  await context.pool.connection(async db => {
    await db.rows(sql`begin`)
    try {
      // Later batches depend on earlier ones, so all of them share one transaction, which is rolled back.
      const inTransaction: TransactionRunner['inTransaction'] = async work => {
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
      for await (const outcome of applyStream(context, input, {
        runner: { inTransaction, isDryRun: true },
        keepsRejected: false,
      }))
        await report(outcome)
    } finally {
      await db.rows(sql`rollback`)
    }
  })
}

interface ApplyOptions {
  runner: TransactionRunner
  keepsRejected: boolean
}

const transactionPerBatch = ({ pool }: IngestContext): TransactionRunner => ({
  inTransaction: work => pool.transaction(work),
  isDryRun: false,
})

async function* applyStream(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  options: ApplyOptions,
): AsyncGenerator<Outcome> {
  let isUnavailable = false
  for await (const received of prefetched(splitIntoBatches(context.validate, input), clear)) {
    try {
      const outcome = await applyReceived(context, received, options, isUnavailable)
      isUnavailable ||= outcome.status === 'unavailable'
      yield outcome
    } finally {
      await clear(received)
    }
  }
}

async function applyReceived(
  context: IngestContext,
  received: ReceivedBatch,
  { runner, keepsRejected }: ApplyOptions,
  isUnavailable: boolean,
): Promise<Outcome> {
  if (!('rejections' in received) && isUnavailable) return unavailableOutcome(received.id)
  const outcome =
    'rejections' in received
      ? rejectedOutcome(received.id, received.rejections)
      : await processBatch(context, received.batch, runner)
  return keepsRejected && !isUnavailable ? storeIfRejected(context, outcome, received) : outcome
}

const clear = async (received: ReceivedBatch): Promise<void> => {
  if ('spool' in received) await received.spool.clear()
}

/** One small batch as a JSON value. Lines are positions in `facts`, from 1. */
export interface BatchBody extends Commit {
  facts: unknown[]
}

/** Applies one small batch. */
export async function receiveBatch(
  context: IngestContext,
  id: string,
  { facts, ...commit }: BatchBody,
  { keepsRejected = true }: ReceiveOptions = {},
): Promise<Outcome> {
  const spool = new Spool()
  const recorder = new RawBatchRecorder()
  const rejections = new RejectionList()
  try {
    for (const [index, fact] of facts.entries()) {
      rejections.add(await spoolFact(context, { fact, line: index + 1 }, { spool, recorder }))
    }
    const runner = transactionPerBatch(context)
    const outcome = !rejections.isEmpty
      ? rejectedOutcome(id, rejections.list())
      : await processBatch(context, spool.close({ batch: id, ...commit }), runner)
    return keepsRejected
      ? await storeIfRejected(context, outcome, { raw: recorder.finish(), commit })
      : outcome
  } finally {
    await spool.clear()
  }
}

async function spoolFact(
  { validate }: IngestContext,
  { fact, line }: { fact: unknown; line: number },
  { spool, recorder }: { spool: Spool; recorder: RawBatchRecorder },
): Promise<Rejection[]> {
  if (isTooDeep(fact)) {
    recorder.add(line, undefined, [])
    return [tooDeep(line)]
  }
  const text = JSON.stringify(fact)
  const checked = validateLine(validate, { number: line, text })
  if (isRejected(checked)) {
    recorder.add(line, text, [])
    return checked
  }
  if (checked.op === 'commit')
    return [{ line, path: '/op', reason: 'a JSON batch must not contain a commit' }]
  recorder.add(line, text, changedEntities(checked))
  const misplaced = await spool.add(checked, text)
  return misplaced ? [misplaced] : []
}

/** Applies a batch and returns its outcome. The batch id is the idempotency key: a batch that is sent again is a `duplicate`. */
async function processBatch(
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
