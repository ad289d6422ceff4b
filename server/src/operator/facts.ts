import { Readable } from 'node:stream'
import { batchId, type FeedPosition, operatorOperations, withoutSnapshotCounts } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { createBodyValidator } from '../http/body-validator.ts'
import {
  checkFacts,
  type IngestContext,
  isRejected,
  type Outcome,
  type ReceiveOptions,
  receiveBatch,
  receiveFacts,
} from '../ingest/index.ts'
import { actorOf, bearerOf, isAdmin, type OperatorCaller } from './caller.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { invalidBody, OperatorError } from './operator-error.ts'
import { holdsSecret } from './pasted-secrets.ts'

const { factsSend } = operatorOperations
const readBatch = createBodyValidator(factsSend.body.schema, invalidBody)
const batchIds = Compile(batchId())

const statuses: Record<Outcome['status'], number> = {
  applied: 200,
  duplicate: 200,
  conflict: 409,
  overtaken: 409,
  refused: 422,
  unavailable: 503,
}

export const statusOf = (outcome: Outcome): number => statuses[outcome.status]

/** Counts what became of a batch. */
export async function recordOutcome(
  { metrics, pulse, log }: Pick<OperatorContext, 'metrics' | 'pulse' | 'log'>,
  outcome: Outcome,
): Promise<void> {
  const { batch, status, facts, events } = outcome
  metrics.batches.inc({ status })
  log.debug({ batch, status, facts, events }, 'batch received')
  if (outcome.status !== 'applied') return
  metrics.facts.inc(outcome.facts)
  metrics.events.inc(outcome.events)
  // Whoever is told that a batch is durable finds it in the next answer of this process.
  await pulse.refresh().catch(() => undefined)
}

/**
 * The way in for a call. Whoever is erased does not come back, and who is known is seen by what an erasure counts: that is for admin.
 * The ids of batches and feeds are kept and logged, so none of them may be a secret.
 */
export function ingestFor(ingest: IngestContext, caller: OperatorCaller, token: string): IngestContext {
  return {
    ...ingest,
    validate(value, line) {
      const checked = ingest.validate(value, line)
      if (isRejected(checked)) return checked
      if (checked.op === 'erase' && !isAdmin(caller))
        return [{ line, path: '/op', reason: '`erase` requires a token with the role admin' }]
      if (checked.op === 'commit' && !isRejected(checked.commit)) {
        const { batch, feed } = checked.commit
        const path = placeOfSecret({ batch, feed }, token)
        if (path !== undefined) return { op: 'commit', commit: [{ line, path, reason: secretReason }] }
      }
      return checked
    },
  }
}

const secretReason = 'contains an API key, a token or a webhook secret: use another id'

const placeOfSecret = (
  { batch, feed }: { batch: string; feed?: FeedPosition | undefined },
  token: string,
): string | undefined =>
  [
    { path: '/batch', text: batch },
    { path: '/feed/name', text: feed?.name ?? '' },
    { path: '/feed/after', text: feed?.after ?? '' },
  ].find(({ text }) => holdsSecret(text, token))?.path

/** What a check says to whoever may change the world, and not count it without a trace. */
const withoutCounts = (outcome: Outcome) => ({
  ...outcome,
  events: null,
  last_seq: null,
  refused: outcome.refused.map(refusal => ({ ...refusal, reason: withoutSnapshotCounts(refusal.reason) })),
})

/**
 * `POST /facts`: the one way in.
 * As `application/x-ndjson` a stream of any length, answered by one line a batch as soon as it is durable.
 * As `application/json` one batch, `{ "facts": [ … ] }`, with its id as `Idempotency-Key`.
 * `?check=true` keeps nothing; `?keep=false` does not keep what is refused for the operator.
 */
export function factRoutes(define: DefineOperatorRoute, context: OperatorContext): void {
  const { ingest, auditLog, tokenWatch } = context

  async function note(caller: OperatorCaller, outcome: Outcome): Promise<void> {
    await recordOutcome(context, outcome)
    // Nothing was done again, and what is not known is sent again.
    if (outcome.status === 'duplicate' || outcome.status === 'unavailable') return
    auditLog.recordBatch(actorOf(caller), { status: statusOf(outcome), subject: outcome.batch })
  }

  define(
    factsSend,
    async ({ req, reply, query, caller }) => {
      const isCheckOnly = query.check ?? false
      const token = bearerOf(req)
      const options = { keepsRejected: query.keep ?? true }
      if (req.body instanceof Readable) {
        const stop = tokenWatch.watch(caller, () => req.raw.destroy())
        reply.raw.once('close', stop)
        const way = ingestFor(ingest, caller, token)
        const lines = isCheckOnly
          ? checked(way, req.body, caller)
          : received(way, req.body, { ...options, caller })
        return { contentType: 'application/x-ndjson; charset=utf-8', body: Readable.from(lines) }
      }
      const id = req.headers['idempotency-key']
      if (!batchIds.Check(id)) {
        throw new OperatorError(
          'bad_request',
          'A batch needs an Idempotency-Key of 1 to 128 of A-Z a-z 0-9 . _ : - as its id.',
        )
      }
      if (isCheckOnly)
        throw new OperatorError('bad_request', 'Only a stream can be checked: send application/x-ndjson.')
      const batch = readBatch(req.body)
      const secretAt = placeOfSecret({ batch: id, feed: batch.feed }, token)
      if (secretAt !== undefined)
        throw new OperatorError(
          'bad_request',
          `${secretAt === '/batch' ? 'The Idempotency-Key' : secretAt} ${secretReason}.`,
        )
      const outcome = await receiveBatch(ingestFor(ingest, caller, token), id, batch, options)
      await note(caller, outcome)
      return { status: statusOf(outcome), body: outcome }
    },
    { notesItself: true },
  )

  async function* received(
    way: IngestContext,
    input: Readable,
    { caller, ...options }: ReceiveOptions & { caller: OperatorCaller },
  ): AsyncGenerator<string> {
    for await (const outcome of receiveFacts(way, input, options)) {
      await note(caller, outcome)
      yield `${JSON.stringify(outcome)}\n`
    }
  }

  /** What is checked is known only batch by batch, and undone at the end: answers wait in a list until then. */
  async function* checked(
    way: IngestContext,
    input: Readable,
    caller: OperatorCaller,
  ): AsyncGenerator<string> {
    const lines: string[] = []
    await checkFacts(way, input, outcome => {
      lines.push(`${JSON.stringify(isAdmin(caller) ? outcome : withoutCounts(outcome))}\n`)
    })
    yield* lines
  }
}
