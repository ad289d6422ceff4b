import { Readable } from 'node:stream'
import { operatorOperations } from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import {
  deleteDeadLetter,
  deleteDeadLettersOfFeed,
  findDeadLetter,
  listDeadLetters,
  listDroppedDeadLetters,
} from '../ingest/dead-letters.ts'
import type { IngestContext, Outcome } from '../ingest/process-batch.ts'
import { receiveFacts } from '../ingest/receive.ts'
import { retryFacts } from '../ingest/retry-set-aside.ts'
import { bearerOf } from './authentication.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { recordOutcome, restrictToCaller, statusOf } from './facts.ts'
import { OperatorError } from './operator-error.ts'

/** Rejected batches in the dead-letter store: list, retry, delete. */
export function deadLetterRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  const { pools, ingest } = context

  define(operatorOperations.refusedList, async ({ query: { feed, limit = 100 } }) => ({
    body: {
      data: await listDeadLetters(pools.ingest, { feed, limit }),
      dropped: await listDroppedDeadLetters(pools.ingest, feed),
    },
  }))

  define(operatorOperations.refusedGet, async ({ id }) => {
    const found = await findDeadLetter(pools.ingest, id)
    if (!found) throw noSuchBatch()
    return { body: found }
  })

  define(operatorOperations.refusedRetry, async ({ id, body: { anyway = false }, caller, req }) => {
    const outcome = await retryDeadLetter(restrictToCaller(ingest, caller, bearerOf(req)), id, {
      force: anyway,
    })
    if (outcome === undefined) throw noSuchBatch()
    if (outcome === 'not_kept')
      throw new OperatorError('conflict', 'The facts of this batch are not kept. Send it again.')
    if (outcome === 'superseded') {
      throw new OperatorError(
        'conflict',
        'Later facts changed the same entities. Drop this batch, or send {"anyway": true} to overwrite them.',
      )
    }
    await recordOutcome(context, outcome)
    return { status: statusOf(outcome), body: outcome }
  })

  define(operatorOperations.refusedDrop, async ({ id }) => {
    if (!(await deleteDeadLetter(pools.ingest, id))) throw noSuchBatch()
    return { body: { id, dropped: true } }
  })

  define(operatorOperations.refusedDropAll, async ({ query: { feed } }) => ({
    subject: feed,
    body: { feed, dropped: await deleteDeadLettersOfFeed(pools.ingest, feed) },
  }))
}

const noSuchBatch = () => notFound('rejected batch of this id')

/**
 * Applies a dead letter again, as it was sent. Returns `superseded` where later facts changed one of its entities, unless `force`;
 * `not_kept` where its facts are not stored; undefined where there is no such dead letter.
 */
async function retryDeadLetter(
  context: IngestContext,
  id: string,
  { force }: { force: boolean },
): Promise<Outcome | 'superseded' | 'not_kept' | undefined> {
  const kept = await findDeadLetter(context.pool, id)
  if (!kept) return undefined
  if (kept.content === null) return 'not_kept'
  if (kept.overtaken_by !== null && !force) return 'superseded'
  if (kept.is_set_aside) {
    const fact = { id, is_announced: kept.is_announced, content: kept.content, since: kept.first_refused_at }
    const outcome = await context.pool.transaction(db => retryFacts(context, db, [fact]))
    return outcome && { ...outcome, batch: id }
  }
  const commit = { op: 'commit', batch: id, announce: kept.is_announced }
  const text = Buffer.from(`${kept.content}${JSON.stringify(commit)}\n`)
  for await (const outcome of receiveFacts(context, Readable.from([text]))) {
    // It was applied under its id meanwhile.
    if (outcome.status === 'duplicate') await deleteDeadLetter(context.pool, id)
    return outcome
  }
  return undefined
}
