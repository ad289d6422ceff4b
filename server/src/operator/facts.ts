import { Readable } from 'node:stream'
import {
  batchId,
  type FeedPosition,
  feedPosition,
  limits,
  operatorOperations,
  withoutSnapshotCounts,
} from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { notFound } from '../http/http-error.ts'
import { createBodyValidator } from '../http/input-validator.ts'
import { findFeed } from '../ingest/apply-batch.ts'
import { deleteHeartbeat, saveHeartbeat } from '../ingest/heartbeats.ts'
import type { IngestContext, Outcome } from '../ingest/process-batch.ts'
import { checkFacts, type ReceiveOptions, receiveBatch, receiveFacts } from '../ingest/receive.ts'
import { isRejected } from '../ingest/validate-fact.ts'
import { actorOf, bearerOf, isAdmin, type OperatorCaller } from './authentication.ts'
import {
  containsSecret,
  type DefineOperatorOperation,
  type OperatorContext,
} from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'

const { factsSend } = operatorOperations
const readBatch = createBodyValidator(
  factsSend.body.schema,
  message => new OperatorError('bad_request', message),
)
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

/** Updates metrics and log for the outcome of a batch. */
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
  // A batch acknowledged as durable is visible in the next response of this process.
  await pulse.refresh().catch(() => undefined)
}

/**
 * Ingestion with the permissions of a caller. `erase` requires admin: it is irreversible, and its counts reveal who is known. Ids of
 * batches and feeds are stored and logged, so they must not contain a secret.
 */
export function restrictToCaller(
  ingest: IngestContext,
  caller: OperatorCaller,
  token: string,
): IngestContext {
  return {
    ...ingest,
    validate(value, line) {
      const checked = ingest.validate(value, line)
      if (isRejected(checked)) return checked
      if (checked.op === 'erase' && !isAdmin(caller))
        return [{ line, path: '/op', reason: '`erase` requires a token with the role admin' }]
      if (checked.op === 'commit' && !isRejected(checked.commit)) {
        const { batch, feed } = checked.commit
        const path = pathOfSecret({ batch, feed }, token)
        if (path !== undefined) return { op: 'commit', commit: [{ line, path, reason: secretReason }] }
      }
      return checked
    },
  }
}

const secretReason = 'contains an API key, a token or a webhook secret: use another id'

const pathOfSecret = (
  { batch, feed }: { batch: string; feed?: FeedPosition | undefined },
  token: string,
): string | undefined =>
  [
    { path: '/batch', text: batch },
    { path: '/feed/name', text: feed?.name ?? '' },
    { path: '/feed/after', text: feed?.after ?? '' },
  ].find(({ text }) => containsSecret(text, token))?.path

/** The result of a check without its counts: only admin may count the world without leaving a trace. */
const withoutCounts = (outcome: Outcome) => ({
  ...outcome,
  events: null,
  last_seq: null,
  refused: outcome.refused.map(rejection => ({
    ...rejection,
    reason: withoutSnapshotCounts(rejection.reason),
  })),
})

/**
 * `POST /facts`, the only way in for world data.
 * `application/x-ndjson` is a stream of any length; the response has one line per batch, sent when it is durable.
 * `application/json` is one batch, `{ "facts": [ … ] }`, with its id in `Idempotency-Key`.
 * `?check=true` applies nothing; `?keep=false` does not keep rejected batches; `?refused=set_aside` is the default of all batches.
 */
export function factRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  const { ingest, auditLog, tokenWatcher } = context

  async function record(caller: OperatorCaller, outcome: Outcome): Promise<void> {
    await recordOutcome(context, outcome)
    // A duplicate changes nothing; an unavailable batch is sent again.
    if (outcome.status === 'duplicate' || outcome.status === 'unavailable') return
    auditLog.recordBatch(actorOf(caller), { status: statusOf(outcome), subject: outcome.batch })
  }

  define(factsSend, async ({ req, reply, query, caller }) => {
    const isCheckOnly = query.check ?? false
    const token = bearerOf(req)
    const options = { keepsRejected: query.keep ?? true, refused: query.refused }
    if (req.body instanceof Readable) {
      const stop = tokenWatcher.watch(caller.id, () => req.raw.destroy())
      reply.raw.once('close', stop)
      const restricted = restrictToCaller(ingest, caller, token)
      const lines = isCheckOnly
        ? checkAndReport(restricted, req.body, { caller, refused: query.refused })
        : applyAndReport(restricted, req.body, { ...options, caller })
      return { contentType: 'application/x-ndjson; charset=utf-8', body: Readable.from(lines) }
    }
    const id = req.headers['idempotency-key']
    if (!batchIds.Check(id)) {
      throw new OperatorError(
        'bad_request',
        'The header Idempotency-Key is required: the id of the batch, 1 to 128 of A-Z a-z 0-9 . _ : -.',
      )
    }
    if (isCheckOnly)
      throw new OperatorError('bad_request', 'check=true requires a stream: send application/x-ndjson.')
    const batch = readBatch(req.body)
    const secretAt = pathOfSecret({ batch: id, feed: batch.feed }, token)
    if (secretAt !== undefined)
      throw new OperatorError(
        'bad_request',
        `${secretAt === '/batch' ? 'The Idempotency-Key' : secretAt} ${secretReason}.`,
      )
    const outcome = await receiveBatch(restrictToCaller(ingest, caller, token), id, batch, options)
    await record(caller, outcome)
    return { status: statusOf(outcome), body: outcome }
  })

  async function* applyAndReport(
    restricted: IngestContext,
    input: Readable,
    { caller, ...options }: ReceiveOptions & { caller: OperatorCaller },
  ): AsyncGenerator<string> {
    for await (const outcome of receiveFacts(restricted, input, options)) {
      await record(caller, outcome)
      yield `${JSON.stringify(outcome)}\n`
    }
  }

  /** A check rolls back at its end: its results are buffered until then. */
  async function* checkAndReport(
    restricted: IngestContext,
    input: Readable,
    { caller, refused }: Pick<ReceiveOptions, 'refused'> & { caller: OperatorCaller },
  ): AsyncGenerator<string> {
    const lines: string[] = []
    const report = (outcome: Outcome) =>
      void lines.push(`${JSON.stringify(isAdmin(caller) ? outcome : withoutCounts(outcome))}\n`)
    await checkFacts(restricted, input, report, { refused })
    yield* lines
  }
}

const feedNames = Compile(feedPosition().properties.name)

/** The position of a feed, which a sender of dependent batches reads before it begins. */
export function feedRoutes(define: DefineOperatorOperation, { pools }: Pick<OperatorContext, 'pools'>): void {
  define(operatorOperations.feedsGet, async ({ id: name }) => {
    if (!feedNames.Check(name)) throw notFound('feed of this name')
    return { body: await findFeed(pools.ingest, name) }
  })

  define(operatorOperations.feedsHeartbeat, async ({ id: name, body }) => {
    if (!feedNames.Check(name)) throw notFound('feed of this name')
    const saved = await saveHeartbeat(pools.ingest, name, body)
    if (!saved)
      throw new OperatorError(
        'bad_request',
        `There are heartbeats of ${limits.senders} feeds already: delete those of retired senders.`,
      )
    return { body: saved }
  })

  define(operatorOperations.feedsRemoveSender, async ({ id: feed }) => {
    if (!(await deleteHeartbeat(pools.ingest, feed))) throw notFound('heartbeat of this feed')
    return { body: { feed } }
  })
}
