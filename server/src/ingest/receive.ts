/**
 * Ingestion: the only way in for world data. It validates facts, applies each batch in one transaction (all of it or nothing, exactly
 * once by id and content), derives its events, and keeps rejected batches in the dead-letter store. A batch is acknowledged when it is
 * durable. Start here, with the stream; then read `apply-batch.ts` (the transaction) and `changes.ts` (merging); `batch.ts` has the types.
 */
import { sql } from '../store/database.ts'
import {
  type IngestContext,
  type Outcome,
  type ProcessOptions,
  processReceived,
  savepointPerBatch,
  transactionPerBatch,
  unavailableOutcome,
} from './process-batch.ts'
import {
  BatchReceiver,
  type Commit,
  prefetched,
  type ReceivedBatch,
  splitIntoBatches,
  validateLine,
} from './split-batches.ts'
import { bufferToFile } from './spool.ts'
import { isRejected, isTooDeep, tooDeep } from './validate-fact.ts'

export interface ReceiveOptions {
  /** Rejected batches go to the dead-letter store. A sender that will send them in another form turns it off. */
  keepsRejected?: boolean
  /** The member of all commits that lack it. */
  refused?: Commit['refused']
}

/** Reads a stream of facts and applies each batch when its commit arrives. Yields one outcome a batch, as soon as it is durable. */
export async function* receiveFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  { keepsRejected = true, refused }: ReceiveOptions = {},
): AsyncGenerator<Outcome> {
  yield* applyStream(context, input, { runner: transactionPerBatch(context), keepsRejected, refused })
}

/**
 * Dry run: reports the outcome that `receiveFacts` would give each batch, and stores nothing. It starts when the whole stream was
 * received, because no other batch is applied while it runs.
 */
export async function checkFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  report: (outcome: Outcome) => void | Promise<void>,
  { refused }: Pick<ReceiveOptions, 'refused'> = {},
): Promise<void> {
  const facts = await bufferToFile(input)
  try {
    await checkAll(context, facts.read(), { report, refused })
  } finally {
    await facts.clear()
  }
}

async function checkAll(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  { report, refused }: { report: (outcome: Outcome) => void | Promise<void>; refused: Commit['refused'] },
): Promise<void> {
  await context.pool.connection(async db => {
    await db.rows(sql`begin`)
    try {
      // Later batches depend on earlier ones, so all of them share one transaction, which is rolled back.
      for await (const outcome of applyStream(context, input, {
        runner: { inTransaction: savepointPerBatch(db), isDryRun: true },
        keepsRejected: false,
        refused,
      }))
        await report(outcome)
    } finally {
      await db.rows(sql`rollback`)
    }
  })
}

interface ApplyOptions extends ProcessOptions {
  refused: Commit['refused']
}

async function* applyStream(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  options: ApplyOptions,
): AsyncGenerator<Outcome> {
  let isUnavailable = false
  for await (const received of prefetched(
    splitIntoBatches(context.validate, input, { refused: options.refused }),
    clear,
  )) {
    try {
      const outcome: Outcome =
        isUnavailable && !('rejections' in received)
          ? unavailableOutcome(received.id)
          : await processReceived(context, received, {
              ...options,
              keepsRejected: options.keepsRejected && !isUnavailable,
            })
      isUnavailable ||= outcome.status === 'unavailable'
      yield outcome
    } finally {
      await clear(received)
    }
  }
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
  { keepsRejected = true, refused }: ReceiveOptions = {},
): Promise<Outcome> {
  const receiving = new BatchReceiver()
  try {
    for (const [index, fact] of facts.entries()) await addFact(context, receiving, fact, index + 1)
    const received = await receiving.close({ batch: id, refused, ...commit })
    return await processReceived(context, received, { runner: transactionPerBatch(context), keepsRejected })
  } finally {
    await receiving.clear()
  }
}

async function addFact(
  { validate }: IngestContext,
  receiving: BatchReceiver,
  fact: unknown,
  line: number,
): Promise<void> {
  if (isTooDeep(fact)) return receiving.add(line, undefined, [tooDeep(line)])
  const text = JSON.stringify(fact)
  const checked = validateLine(validate, { number: line, text })
  if (!isRejected(checked) && checked.op === 'commit')
    return receiving.add(line, text, [
      { line, path: '/op', reason: 'a JSON batch must not contain a commit' },
    ])
  return receiving.add(line, text, checked)
}
