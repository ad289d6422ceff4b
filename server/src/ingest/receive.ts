import { type Contract, factBytesMax } from '@chancery/contract'
import { type Refusal, RefusedBatch } from '../store/batch.ts'
import { type Database, type DatabasePool, isUnavailable, sql } from '../store/database.ts'
import { type Applied, applyBatch } from './apply-batch.ts'
import { type CheckedFact, type FactChecker, isRefusal, isTooDeep, parseFact, tooDeep } from './check-fact.ts'
import { readLines } from './lines.ts'
import { Spool, type SpooledBatch } from './spool.ts'

/**
 * What became of one batch.
 * - `applied`: it is durable. `duplicate`: it had been applied before, and nothing was done again.
 * - `conflict`: another batch had this id. `refused`: the facts named in `refused` are wrong, and nothing of it is stored.
 * - `unavailable`: the database could not be reached; whether it was stored is known when it is sent again.
 *   Nor is what follows it in the stream applied: a batch must not overtake the one before it.
 */
export interface Outcome {
  batch: string | null
  status: Applied['status'] | 'refused' | 'unavailable'
  facts: number
  events: number
  last_seq: number | null
  refused: Refusal[]
}

export interface IngestContext {
  pool: DatabasePool
  contract: Contract
  check: FactChecker
}

/** A game that sends ten thousand wrong facts learns the first hundred. */
const refusalsMax = 100

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
  const spool = new Spool()
  let refusals: Refusal[] = []
  let lastLine = 0
  let isOpen = false
  let isAway = false
  try {
    for await (const lines of readLines(input, factBytesMax)) {
      for (const line of lines) {
        lastLine = line.number
        if ('text' in line && line.text.trim() === '') continue
        isOpen = true
        const checked = checkLine(context.check, line)
        if (isRefusal(checked)) {
          if (refusals.length < refusalsMax) refusals.push(checked)
        } else if (checked.op !== 'commit') {
          if (refusals.length === 0 && !isAway) await spool.add(checked, 'text' in line ? line.text : '')
        } else {
          const { commit } = checked
          const outcome: Outcome = isRefusal(commit)
            ? refused(null, [...refusals, commit])
            : refusals.length > 0
              ? refused(commit.batch, refusals)
              : isAway
                ? unavailable(commit.batch)
                : await settleBatch(context, spool.close(commit.batch, commit.announce ?? true), run)
          isAway ||= outcome.status === 'unavailable'
          await spool.clear()
          refusals = []
          isOpen = false
          yield outcome
        }
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      yield refused(null, [...refusals, { line: lastLine, path: '', reason }])
    }
  } finally {
    await spool.clear()
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
    if (refusals.length > 0) return refused(id, refusals.slice(0, refusalsMax))
    return await settleBatch(context, spool.close(id, announce), work => context.pool.transaction(work))
  } finally {
    await spool.clear()
  }
}

function checkLine(
  check: FactChecker,
  line: { number: number; text?: string; problem?: string },
): CheckedFact | Refusal {
  if (line.text === undefined) return { line: line.number, path: '', reason: line.problem ?? 'unreadable' }
  const parsed = parseFact(line.text, line.number)
  return 'reason' in parsed ? parsed : check(parsed.value, line.number)
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
    if (error instanceof RefusedBatch) return refused(spooled.id, error.refusals.slice(0, refusalsMax))
    if (isValueError(error))
      return refused(spooled.id, [
        { line: 0, path: '', reason: `the database cannot keep a value: ${error.message}` },
      ])
    if (isUnavailable(error)) return unavailable(spooled.id)
    throw error
  }
}

const refused = (batch: string | null, refusals: Refusal[]): Outcome => ({
  batch,
  status: 'refused',
  facts: 0,
  events: 0,
  last_seq: null,
  refused: refusals,
})

const unavailable = (batch: string): Outcome => ({ ...refused(batch, []), status: 'unavailable' })

/** SQLSTATE 22 (data exception) and 23 (integrity): the facts are at fault, though no check of ours named the line. */
const isValueError = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))
