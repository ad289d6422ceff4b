import type { Rejection } from './batch.ts'
import { type Outcome, RejectionList, rejectedOutcome } from './outcome.ts'
import { isTooDeep, tooDeep } from './parse-fact.ts'
import {
  type IngestContext,
  processBatch,
  type ReceiveOptions,
  storeIfRejected,
  type TransactionRunner,
} from './process-batch.ts'
import { type Commit, SentBatchRecorder } from './sent-text.ts'
import { changedEntities, validateLine } from './split-batches.ts'
import { Spool } from './spool.ts'
import { isRejected } from './validate-fact.ts'

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
