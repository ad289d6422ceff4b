import { Readable } from 'node:stream'
import { batchId, operatorOperations } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { bodyReader } from '../http/checked-body.ts'
import { checkFacts, type Outcome, type ReceiveOptions, receiveBatch, receiveFacts } from '../ingest/index.ts'
import { actorOf, type OperatorCaller } from './caller.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { notAsItShould, OperatorError } from './operator-error.ts'

const { factsSend } = operatorOperations
const readBatch = bodyReader(factsSend.body.schema, notAsItShould)
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
export async function noteOutcome(
  { metrics, pulse }: Pick<OperatorContext, 'metrics' | 'pulse'>,
  outcome: Outcome,
): Promise<void> {
  metrics.batches.inc({ status: outcome.status })
  if (outcome.status !== 'applied') return
  metrics.facts.inc(outcome.facts)
  metrics.events.inc(outcome.events)
  // Whoever is told that a batch is durable finds it in the next answer of this process.
  await pulse.refresh().catch(() => undefined)
}

/**
 * `POST /facts`: the one way in.
 * As `application/x-ndjson` a stream of any length, answered by one line a batch as soon as it is durable.
 * As `application/json` one batch, `{ "facts": [ … ] }`, with its id as `Idempotency-Key`.
 * `?check=true` keeps nothing; `?keep=false` does not keep what is refused for the operator.
 */
export function factRoutes(define: DefineOperatorRoute, context: OperatorContext): void {
  const { ingest, operatorLog, tokenWatch } = context

  async function note(caller: OperatorCaller, outcome: Outcome): Promise<void> {
    await noteOutcome(context, outcome)
    // Nothing was done again, and what is not known is sent again.
    if (outcome.status === 'duplicate' || outcome.status === 'unavailable') return
    operatorLog.noteBatch(actorOf(caller), { status: statusOf(outcome), subject: outcome.batch })
  }

  define(
    factsSend,
    async ({ req, reply, query, caller }) => {
      const isCheckOnly = query.check ?? false
      const options = { keepsRefused: query.keep ?? true }
      if (req.body instanceof Readable) {
        const stop = tokenWatch.watch(caller, () => req.raw.destroy())
        reply.raw.once('close', stop)
        const lines = isCheckOnly ? checked(req.body) : received(req.body, options, caller)
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
      const outcome = await receiveBatch(ingest, id, readBatch(req.body), options)
      await note(caller, outcome)
      return { status: statusOf(outcome), body: outcome }
    },
    { notesItself: true },
  )

  async function* received(
    input: Readable,
    options: ReceiveOptions,
    caller: OperatorCaller,
  ): AsyncGenerator<string> {
    for await (const outcome of receiveFacts(ingest, input, options)) {
      await note(caller, outcome)
      yield `${JSON.stringify(outcome)}\n`
    }
  }

  /** What is checked is known only batch by batch, and undone at the end: answers wait in a list until then. */
  async function* checked(input: Readable): AsyncGenerator<string> {
    const lines: string[] = []
    await checkFacts(ingest, input, outcome => void lines.push(`${JSON.stringify(outcome)}\n`))
    yield* lines
  }
}
