import { Readable } from 'node:stream'
import { sql } from '../store/database.ts'
import { type Rejection, RejectionList } from './batch.ts'
import { deleteDeadLetter, findDeadLetter } from './dead-letters.ts'
import { isTooDeep, tooDeep } from './lines.ts'
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
  type ReceivedBatch,
  SentBatchRecorder,
  splitIntoBatches,
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
  yield* receive(context, input, {
    apply: work => context.pool.transaction(work),
    isDurable: true,
    keepsRejected,
  })
}

/**
 * Says of each batch what `receiveFacts` would say, one after the other, and keeps nothing. It begins when all has come: no batch
 * of others is applied while it works.
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
      // Later batches stand on earlier ones, so all of them share one transaction, which is then undone.
      const apply: TransactionRunner['apply'] = async work => {
        await db.rows(sql`savepoint batch`)
        try {
          const applied = await work(db)
          // Savepoints that stay open nest, and each makes every look at a row of this transaction slower.
          await db.rows(sql`release savepoint batch`)
          return applied
        } catch (error) {
          await db.rows(sql`rollback to savepoint batch`)
          await db.rows(sql`release savepoint batch`)
          throw error
        }
      }
      for await (const outcome of receive(context, input, { apply, isDurable: false, keepsRejected: false }))
        await report(outcome)
    } finally {
      await db.rows(sql`rollback`)
    }
  })
}

async function* receive(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  runner: TransactionRunner,
): AsyncGenerator<Outcome> {
  let isAway = false
  for await (const collected of prefetched(splitIntoBatches(context.validate, input), clear)) {
    try {
      const outcome = await outcomeOf(context, collected, runner, isAway)
      isAway ||= outcome.status === 'unavailable'
      yield outcome
    } finally {
      await clear(collected)
    }
  }
}

async function outcomeOf(
  context: IngestContext,
  collected: ReceivedBatch,
  runner: TransactionRunner,
  isAway: boolean,
): Promise<Outcome> {
  if (!('rejections' in collected) && isAway) return unavailableOutcome(collected.id)
  const outcome =
    'rejections' in collected
      ? rejectedOutcome(collected.id, collected.rejections)
      : await processBatch(context, collected.batch, runner)
  return runner.keepsRejected && !isAway ? storeIfRejected(context, outcome, collected) : outcome
}

const clear = async (collected: ReceivedBatch): Promise<void> => {
  if ('spool' in collected) await collected.spool.clear()
}

/**
 * Asks for the next item while the current one is worked on: a batch is read and checked while the database applies the
 * one before it. An item that nobody comes for is let go.
 */
async function* prefetched<T>(
  items: AsyncGenerator<T>,
  letGo: (item: T) => Promise<void>,
): AsyncGenerator<T> {
  let next = items.next()
  try {
    for (;;) {
      const item = await next
      if (item.done) return
      next = items.next()
      // Whether it failed is seen when its turn comes.
      next.catch(() => undefined)
      yield item.value
    }
  } finally {
    // The stream may never send another byte, so nobody waits for it here.
    void next.then(item => (item.done ? undefined : letGo(item.value))).catch(() => undefined)
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
  const sent = new SentBatchRecorder()
  const rejections = new RejectionList()
  try {
    for (const [index, fact] of facts.entries()) {
      rejections.add(await takeIn(context, { fact, line: index + 1 }, { spool, sent }))
    }
    const runner: TransactionRunner = {
      apply: work => context.pool.transaction(work),
      isDurable: true,
      keepsRejected,
    }
    const outcome = !rejections.isEmpty
      ? rejectedOutcome(id, rejections.list())
      : await processBatch(context, spool.close({ batch: id, ...commit }), runner)
    return keepsRejected ? await storeIfRejected(context, outcome, { sent: sent.sent(), commit }) : outcome
  } finally {
    await spool.clear()
  }
}

async function takeIn(
  { validate }: IngestContext,
  { fact, line }: { fact: unknown; line: number },
  { spool, sent }: { spool: Spool; sent: SentBatchRecorder },
): Promise<Rejection[]> {
  if (isTooDeep(fact)) {
    sent.add(line, undefined, [])
    return [tooDeep(line)]
  }
  const text = JSON.stringify(fact)
  const checked = validateLine(validate, { number: line, text })
  if (isRejected(checked)) {
    sent.add(line, text, [])
    return checked
  }
  if (checked.op === 'commit')
    return [{ line, path: '/op', reason: 'a batch in one request is committed by itself' }]
  sent.add(line, text, changedEntities(checked))
  const misplaced = await spool.add(checked, text)
  return misplaced ? [misplaced] : []
}

/**
 * Tries a refused batch again, as it was sent. `overtaken` where later facts changed one of its things, unless it is wanted `anyway`;
 * `not_kept` where its facts are not kept; undefined where there is no such batch.
 */
export async function redriveDeadLetter(
  context: IngestContext,
  id: string,
  { anyway }: { anyway: boolean },
): Promise<Outcome | 'overtaken' | 'not_kept' | undefined> {
  const kept = await findDeadLetter(context.pool, id)
  if (!kept) return undefined
  if (kept.content === null) return 'not_kept'
  if (kept.overtaken_by !== null && !anyway) return 'overtaken'
  const commit = { op: 'commit', batch: id, announce: kept.is_announced }
  const text = Buffer.from(`${kept.content}${JSON.stringify(commit)}\n`)
  for await (const outcome of receiveFacts(context, Readable.from([text]))) {
    // Under its id it was applied meanwhile: there is nothing left to do.
    if (outcome.status === 'duplicate') await deleteDeadLetter(context.pool, id)
    return outcome
  }
  return undefined
}
