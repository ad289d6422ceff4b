import { Readable } from 'node:stream'
import { batchId } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../http/api-error.ts'
import { checkFacts, type Outcome, receiveBatch, receiveFacts } from '../ingest/index.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'

const readBatch = bodyReader(
  Type.Object(
    { facts: Type.Array(Type.Unknown()), announce: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
)
const batchIds = Compile(batchId())

const statuses: Record<Outcome['status'], number> = {
  applied: 200,
  duplicate: 200,
  conflict: 409,
  refused: 422,
  unavailable: 503,
}

/**
 * `POST /facts`: the one way in.
 * As `application/x-ndjson` a stream of any length, answered by one line a batch as soon as it is durable.
 * As `application/json` one batch, `{ "facts": [ … ] }`, with its id as `Idempotency-Key`.
 */
export function factRoutes(app: FastifyInstance, { ingest, metrics, pulse }: OperatorContext): void {
  app.addContentTypeParser('application/x-ndjson', (_req, payload, done) => done(null, payload))

  const note = async (outcome: Outcome): Promise<void> => {
    metrics.batches.inc({ status: outcome.status })
    if (outcome.status !== 'applied') return
    metrics.facts.inc(outcome.facts)
    metrics.events.inc(outcome.events)
    // Whoever is told that a batch is durable finds it in the next answer of this process.
    await pulse.refresh().catch(() => undefined)
  }

  app.post<{ Querystring: { check?: string } }>('/facts', async (req, reply) => {
    const isCheckOnly = req.query.check === 'true'
    if (req.body instanceof Readable) {
      const outcomes = isCheckOnly ? checked(req.body) : received(req.body)
      return reply.header('content-type', 'application/x-ndjson; charset=utf-8').send(Readable.from(outcomes))
    }
    const id = req.headers['idempotency-key']
    if (!batchIds.Check(id)) {
      throw new ApiError(
        'bad_request',
        'A batch needs an Idempotency-Key of 1 to 128 of A-Z a-z 0-9 . _ : - as its id.',
      )
    }
    if (isCheckOnly)
      throw new ApiError('bad_request', 'Only a stream can be checked: send application/x-ndjson.')
    const outcome = await receiveBatch(ingest, id, readBatch(req.body))
    await note(outcome)
    return reply.code(statuses[outcome.status]).send(outcome)
  })

  async function* received(input: Readable): AsyncGenerator<string> {
    for await (const outcome of receiveFacts(ingest, input)) {
      await note(outcome)
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
