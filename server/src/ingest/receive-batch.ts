import type { Refusal } from '../store/batch.ts'
import { isRefused } from './check-fact.ts'
import { checkLine, thingsOf } from './collect-batches.ts'
import { type Outcome, RefusalList, refused } from './outcome.ts'
import { isTooDeep, tooDeep } from './parse-fact.ts'
import { type Commit, SentText } from './sent-text.ts'
import {
  type IngestContext,
  keepIfRefused,
  type ReceiveOptions,
  type Runner,
  settleBatch,
} from './settle-batch.ts'
import { Spool } from './spool.ts'

/** One small batch as a JSON value. Lines are positions in `facts`, from 1. */
export interface BatchBody extends Commit {
  facts: unknown[]
}

/** Applies one small batch. */
export async function receiveBatch(
  context: IngestContext,
  id: string,
  { facts, ...commit }: BatchBody,
  { keepsRefused = true }: ReceiveOptions = {},
): Promise<Outcome> {
  const spool = new Spool()
  const sent = new SentText()
  const refusals = new RefusalList()
  try {
    for (const [index, fact] of facts.entries()) {
      refusals.add(await takeIn(context, { fact, line: index + 1 }, { spool, sent }))
    }
    const runner: Runner = { apply: work => context.pool.transaction(work), isDurable: true, keepsRefused }
    const outcome = !refusals.isEmpty
      ? refused(id, refusals.list())
      : await settleBatch(context, spool.close({ batch: id, ...commit }), runner)
    return keepsRefused ? await keepIfRefused(context, outcome, { sent: sent.sent(), commit }) : outcome
  } finally {
    await spool.clear()
  }
}

async function takeIn(
  { check }: IngestContext,
  { fact, line }: { fact: unknown; line: number },
  { spool, sent }: { spool: Spool; sent: SentText },
): Promise<Refusal[]> {
  if (isTooDeep(fact)) {
    sent.add(line, undefined, [])
    return [tooDeep(line)]
  }
  const text = JSON.stringify(fact)
  const checked = checkLine(check, { number: line, text })
  if (isRefused(checked)) {
    sent.add(line, text, [])
    return checked
  }
  if (checked.op === 'commit')
    return [{ line, path: '/op', reason: 'a batch in one request is committed by itself' }]
  sent.add(line, text, thingsOf(checked))
  const misplaced = await spool.add(checked, text)
  return misplaced ? [misplaced] : []
}
