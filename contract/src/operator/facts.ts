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
  rejectedExample,
  unavailableExample,
} from './outcome.ts'

/** A keyword that the OpenAPI document replaces by the facts of the game's profile: all of them, or those of a JSON batch. */
export const factsKeyword = 'x-facts'
export type FactsPlace = 'line' | 'batch'

/** Any JSON value. Facts are validated one by one, so that each rejection names its line. */
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

export const batchConflict = outcome(
  'The batch id was used for other content, or the feed has another position: see `status`.',
  {
    Conflict: conflictExample,
    Overtaken: overtakenExample,
  },
)
export const batchRejected = outcome('Facts of the batch are invalid. Nothing is applied.', {
  Rejected: rejectedExample,
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
  description: `Receives facts in batches. A batch is applied as a whole or not at all, and exactly once by its id and content, however often it is sent. \
Its id is stored for at least ${limits.batchIdDays} days.

As \`application/x-ndjson\`: a stream of any length, one fact per line of at most ${factBytesMax} bytes. A \`commit\` closes a batch and contains its id. \
The result of each batch is sent as a line as soon as it is known. The stream may stay open as long as the game runs, and a rejected batch does not end it. \
The HTTP status is 200 before the first line, so read \`status\` in the lines.

A batch with an \`erase\` is rejected unless the token has the role \`admin\`.

As \`application/json\`: one batch of at most 8 MiB, with its id in \`Idempotency-Key\`. It has no commit: \`feed\` and \`announce\` are members of the body.`,
  query: strictObject({
    check: Type.Optional(
      Type.Boolean({
        description:
          'true returns the result that each batch would have, and stores nothing. Only for a stream; the results are sent at its end. For a token without the role `admin`, `events` and `last_seq` are null.',
        example: true,
      }),
    ),
    keep: Type.Optional(
      Type.Boolean({
        description: 'false discards rejected batches. By default they are kept in the dead-letter store.',
        example: false,
      }),
    ),
  }),
  headers: {
    'Idempotency-Key': {
      description: 'The id of a JSON batch. Ignored for a stream.',
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
            'false records history: its events are added to the log but not sent to open streams and webhooks. Default true.',
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
      description: 'A JSON batch: it was applied. A stream: the result of each batch as a line.',
      content: {
        'application/json': {
          schema: outcomeSchema,
          examples: { Applied: appliedExample, Duplicate: { ...appliedExample, status: 'duplicate' } },
        },
        'application/x-ndjson': {
          schema: outcomeSchema,
          examples: { Lines: lines([appliedExample, rejectedExample]) },
        },
      },
    },
    409: batchConflict,
    422: batchRejected,
    503: batchUnavailable,
  },
})
