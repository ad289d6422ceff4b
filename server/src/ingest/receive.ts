import { sql } from '../store/database.ts'
import { type Collected, collectBatches } from './collect-batches.ts'
import { type Outcome, refused, unavailable } from './outcome.ts'
import { setBy } from './set-by.ts'
import {
  type IngestContext,
  keepIfRefused,
  type ReceiveOptions,
  type Runner,
  settleBatch,
} from './settle-batch.ts'

/** Reads a stream of facts and applies each batch when its commit arrives. Yields one outcome a batch, as soon as it is durable. */
export async function* receiveFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  { keepsRefused = true }: ReceiveOptions = {},
): AsyncGenerator<Outcome> {
  yield* receive(context, input, {
    apply: work => context.pool.transaction(work),
    isDurable: true,
    keepsRefused,
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
  const facts = await setBy(input)
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
      const apply: Runner['apply'] = async work => {
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
      for await (const outcome of receive(context, input, { apply, isDurable: false, keepsRefused: false }))
        await report(outcome)
    } finally {
      await db.rows(sql`rollback`)
    }
  })
}

async function* receive(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  runner: Runner,
): AsyncGenerator<Outcome> {
  let isAway = false
  for await (const collected of ahead(collectBatches(context.check, input), clear)) {
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
  collected: Collected,
  runner: Runner,
  isAway: boolean,
): Promise<Outcome> {
  if (!('refusals' in collected) && isAway) return unavailable(collected.id)
  const outcome =
    'refusals' in collected
      ? refused(collected.id, collected.refusals)
      : await settleBatch(context, collected.batch, runner)
  return runner.keepsRefused && !isAway ? keepIfRefused(context, outcome, collected) : outcome
}

const clear = async (collected: Collected): Promise<void> => {
  if ('spool' in collected) await collected.spool.clear()
}

/**
 * Asks for the next item while the current one is worked on: a batch is read and checked while the database applies the
 * one before it. An item that nobody comes for is let go.
 */
async function* ahead<T>(items: AsyncGenerator<T>, letGo: (item: T) => Promise<void>): AsyncGenerator<T> {
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
