import type { Contract } from '@chancery/contract'
import { type Refusal, RefusedBatch } from '../store/batch.ts'
import { type Database, type DatabasePool, isUnavailable, sql } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { type FactChecker, isRefusal, isTooDeep, tooDeep } from './check-fact.ts'
import { type Collected, checkLine, collectBatches } from './collect-batches.ts'
import { type Outcome, refused, unavailable } from './outcome.ts'
import { Spool, type SpooledBatch } from './spool.ts'

export interface IngestContext {
  pool: DatabasePool
  contract: Contract
  check: FactChecker
}

type Runner = (work: (db: Database) => Promise<Applied>) => Promise<Applied>

/** Reads a stream of facts and applies each batch when its commit arrives. Yields one outcome a batch, as soon as it is durable. */
export async function* receiveFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<Outcome> {
  yield* receive(context, input, work => context.pool.transaction(work))
}

/** Says of each batch what `receiveFacts` would say, one after the other, and keeps nothing. */
export async function checkFacts(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  report: (outcome: Outcome) => void | Promise<void>,
): Promise<void> {
  await context.pool.connection(async db => {
    await db.rows(sql`begin`)
    try {
      // Later batches stand on earlier ones, so all of them share one transaction, which is then undone.
      const run: Runner = async work => {
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
      for await (const outcome of receive(context, input, run)) await report(outcome)
    } finally {
      await db.rows(sql`rollback`)
    }
  })
}

async function* receive(
  context: IngestContext,
  input: AsyncIterable<Uint8Array>,
  run: Runner,
): AsyncGenerator<Outcome> {
  let isAway = false
  for await (const collected of ahead(collectBatches(context.check, input), clear)) {
    try {
      const outcome = await outcomeOf(context, collected, run, isAway)
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
  run: Runner,
  isAway: boolean,
): Promise<Outcome> {
  if ('refusals' in collected) return refused(collected.id, collected.refusals)
  return isAway ? unavailable(collected.id) : settleBatch(context, collected.batch, run)
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

/** Applies one small batch that arrived as a JSON value. Lines are positions in `facts`, from 1. */
export async function receiveBatch(
  context: IngestContext,
  id: string,
  { facts, announce = true }: { facts: unknown[]; announce?: boolean },
): Promise<Outcome> {
  const spool = new Spool()
  const refusals: Refusal[] = []
  try {
    for (const [index, fact] of facts.entries()) {
      if (isTooDeep(fact)) {
        refusals.push(tooDeep(index + 1))
        continue
      }
      const text = JSON.stringify(fact)
      const checked = checkLine(context.check, { number: index + 1, text })
      if (isRefusal(checked)) refusals.push(checked)
      else if (checked.op === 'commit')
        refusals.push({
          line: index + 1,
          path: '/op',
          reason: 'a batch in one request is committed by itself',
        })
      else await spool.add(checked, text)
    }
    if (refusals.length > 0) return refused(id, refusals)
    return await settleBatch(context, spool.close(id, announce), work => context.pool.transaction(work))
  } finally {
    await spool.clear()
  }
}

async function settleBatch(context: IngestContext, spooled: SpooledBatch, run: Runner): Promise<Outcome> {
  try {
    const applied = await run(db => applyBatch(db, context.contract, spooled))
    const counts =
      applied.status === 'conflict' ? { facts: spooled.factCount, events: 0, last_seq: null } : applied
    const refusals =
      applied.status === 'conflict'
        ? [{ line: 0, path: '/batch', reason: 'another batch was applied under this id' }]
        : []
    return { batch: spooled.id, ...counts, status: applied.status, refused: refusals }
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

/** SQLSTATE 22 (data exception) and 23 (integrity): the facts are at fault, though no check of ours named the line. */
const isValueError = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))
