/**
 * Ingestion: the only way in for world data. It validates facts, applies each batch in one transaction (all of it or nothing, exactly
 * once by id and content), derives its events, and keeps rejected batches in the dead-letter store. A batch is acknowledged when it is
 * durable. Start here, with the stream; then read `apply-batch.ts` (the transaction) and `changes.ts` (merging); `batch.ts` has the types.
 */
import { Readable } from 'node:stream'
import { sql } from '../store/database.ts'
import { type Rejection, RejectionList } from './batch.ts'
import { deleteDeadLetter, findDeadLetter } from './dead-letters.ts'
import {
  type IngestContext,
  type Outcome,
  processBatch,
  type ReceiveOptions,
  rejectedOutcome,
  storeIfRejected,
  type TransactionRunner,
  unavailableOutcome,
} from './process-batch.ts'
import {
  type Commit,
  changedEntities,
  isTooDeep,
  RawBatchRecorder,
  type ReceivedBatch,
  splitIntoBatches,
  tooDeep,
  validateLine,
} from './split-batches.ts'
import { Spool } from './spool.ts'
import { bufferToFile } from './temporary-file.ts'
import { isRejected } from './validate-fact.ts'

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

/**
 * Reads the next item while the current one is processed: a batch is read and validated while the database applies the one before it.
 * An item that is not consumed is released.
 */
async function* prefetched<T>(
  items: AsyncGenerator<T>,
  release: (item: T) => Promise<void>,
): AsyncGenerator<T> {
  let next = items.next()
  try {
    for (;;) {
      const item = await next
      if (item.done) return
      next = items.next()
      // A failure is thrown when the item is awaited.
      next.catch(() => undefined)
      yield item.value
    }
  } finally {
    // Not awaited: the stream may never send another byte.
    void next.then(item => (item.done ? undefined : release(item.value))).catch(() => undefined)
    void items.return(undefined).catch(() => undefined)
  }
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

/**
 * Applies a dead letter again, as it was sent. Returns `superseded` where later facts changed one of its entities, unless `force`;
 * `not_kept` where its facts are not stored; undefined where there is no such dead letter.
 */
export async function retryDeadLetter(
  context: IngestContext,
  id: string,
  { force }: { force: boolean },
): Promise<Outcome | 'superseded' | 'not_kept' | undefined> {
  const kept = await findDeadLetter(context.pool, id)
  if (!kept) return undefined
  if (kept.content === null) return 'not_kept'
  if (kept.overtaken_by !== null && !force) return 'superseded'
  const commit = { op: 'commit', batch: id, announce: kept.is_announced }
  const text = Buffer.from(`${kept.content}${JSON.stringify(commit)}\n`)
  for await (const outcome of receiveFacts(context, Readable.from([text]))) {
    // It was applied under its id meanwhile.
    if (outcome.status === 'duplicate') await deleteDeadLetter(context.pool, id)
    return outcome
  }
  return undefined
}
