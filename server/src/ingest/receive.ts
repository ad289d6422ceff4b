import { sql } from '../store/database.ts'
import { type Outcome, rejectedOutcome, unavailableOutcome } from './outcome.ts'
import {
  type IngestContext,
  processBatch,
  type ReceiveOptions,
  storeIfRejected,
  type TransactionRunner,
} from './process-batch.ts'
import { bufferToFile } from './set-by.ts'
import { type ReceivedBatch, splitIntoBatches } from './split-batches.ts'

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
