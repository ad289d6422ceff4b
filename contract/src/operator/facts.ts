import Type from 'typebox'
import { batchId, factBytesMax, feedPosition } from '../facts.ts'
import { limits } from '../limits.ts'
import { annotate, listOf, strictObject } from '../shared-schemas.ts'
import { type OperatorResponse, operatorOperation } from './operation.ts'
import {
  appliedExample,
  conflictExample,
  outcomeSchema,
  overtakenExample,
  refusedExample,
  unavailableExample,
} from './outcome.ts'

/** Stands in a schema where the document puts the facts of the game's profile: all of them, or those of a JSON batch. */
export const factsKeyword = 'x-facts'
export type FactsPlace = 'line' | 'batch'

/** Any JSON value. What a fact must be is checked fact by fact, so that each refusal names its line. */
const fact = (place: FactsPlace) => annotate(Type.Unknown(), { [factsKeyword]: place })

const exampleFacts = [
  { op: 'put', resource: 'nation', data: { id: 'n42', nation_name: 'Valdoria', national_score: 1830.5 } },
  { op: 'delete', resource: 'alliance_member', id: 'n9' },
]
const lines = (documents: readonly object[]) =>
  documents.map(document => `${JSON.stringify(document)}\n`).join('')

const outcome = (description: string, examples: Record<string, unknown>): OperatorResponse => ({
  description,
  content: { 'application/json': { schema: outcomeSchema, examples } },
})

export const batchConflict = outcome('The id or the place in the feed is not free: see `status`.', {
  Conflict: conflictExample,
  Overtaken: overtakenExample,
})
export const batchRefused = outcome('Facts of the batch are wrong. Nothing of it is applied.', {
  Refused: refusedExample,
})
export const batchUnavailable = outcome('The database could not be reached.', {
  Unavailable: unavailableExample,
})

export const factsSend = operatorOperation({
  id: 'facts.send',
  method: 'POST',
  path: '/facts',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Send facts',
  description: `Takes facts as batches: each is applied whole or not at all, and exactly once by its id and content, however often it is sent. \
An id is remembered for ${limits.batchIdDays} days at least.

As \`application/x-ndjson\`: a stream of any length, a fact a line of at most ${factBytesMax} bytes. A \`commit\` closes a batch and gives it its id. \
What became of each batch is answered as a line, as soon as it is known; the stream may stay open for as long as the game runs, and a wrong batch does not end it. \
The status is 200 before the first line, so \`status\` in the lines is what counts.

A batch with an \`erase\` is refused unless the token has the role \`admin\`.

As \`application/json\`: one batch of at most 8 MiB, with its id in \`Idempotency-Key\`. It has no commit: \`feed\` and \`announce\` stand in the body.`,
  query: strictObject({
    check: Type.Optional(
      Type.Boolean({
        description:
          'true says of each batch what would become of it, and stores nothing. Only for a stream; the answers come at its end. A token without the role `admin` is told no counts: `events` and `last_seq` are null.',
      }),
    ),
    keep: Type.Optional(
      Type.Boolean({
        description:
          'false does not keep batches that are refused. By default they are kept among the refused ones.',
      }),
    ),
  }),
  headers: {
    'Idempotency-Key': {
      description: 'With a JSON batch: its id. With a stream: not read.',
      schema: { ...batchId(), examples: ['turn-8817'] },
    },
  },
  stream: {
    'application/x-ndjson': {
      schema: fact('line'),
      examples: { Stream: lines([...exampleFacts, { op: 'commit', batch: 'turn-8817' }]) },
    },
  },
  body: {
    schema: strictObject({
      facts: listOf(fact('batch'), { description: 'The facts of the batch, in any order.' }),
      announce: Type.Optional(
        Type.Boolean({
          description:
            'false records history: its events are in the log and are not pushed as news. Default true.',
        }),
      ),
      feed: Type.Optional(feedPosition()),
    }),
    examples: {
      Batch: { facts: exampleFacts },
      'Batch of a feed': { facts: exampleFacts, feed: { name: 'turns', after: 'turn-8816' } },
    },
  },
  responses: {
    200: {
      description: 'A JSON batch: it is applied. A stream: a line for each batch, whatever became of it.',
      content: {
        'application/json': {
          schema: outcomeSchema,
          examples: { Applied: appliedExample, Duplicate: { ...appliedExample, status: 'duplicate' } },
        },
        'application/x-ndjson': {
          schema: outcomeSchema,
          examples: { Lines: lines([appliedExample, refusedExample]) },
        },
      },
    },
    409: batchConflict,
    422: batchRefused,
    503: batchUnavailable,
  },
})
