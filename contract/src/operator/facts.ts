import Type, { type Static } from 'typebox'
import { batchId, factBytesMax, feedPosition, refusedFacts } from '../facts.ts'
import { limits } from '../limits.ts'
import { annotate, count, enumOf, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, named, type OperatorResponse, operatorOperation } from './operation.ts'

/** The statuses of a batch. */
export const batchStatuses = {
  applied: 'The batch is applied and durable.',
  duplicate: 'The batch had already been applied, and was not applied again.',
  conflict:
    'Other content was applied under this id, so nothing of this batch is applied. Give it another id, or find out why two batches have the same id.',
  overtaken:
    'Its predecessor is not the last applied batch of its feed, so nothing is applied. Read the position of the feed, and continue from there.',
  refused:
    'Facts of the batch are invalid, so nothing is applied. `refused` lists them: correct them, and send the batch again with the same id.',
  unavailable:
    'The database could not be reached, and it is unknown whether the batch was applied. Send it again.',
} as const
export type BatchStatus = keyof typeof batchStatuses
export const batchStatusNames = Object.keys(batchStatuses) as BatchStatus[]

const statusTable = Object.entries(batchStatuses)
  .map(([status, meaning]) => `- \`${status}\`: ${meaning}`)
  .join('\n')

/** `Refusal` is its name in the OpenAPI document, from which clients generate types. */
export const rejectionSchema = named(
  'Refusal',
  strictObject(
    {
      line: count({
        description:
          'The line of the fact in the stream, or its position in `facts`, from 1. 0 if the error is not about a single fact.',
      }),
      path: text(1000, { description: 'JSON pointer into the fact; empty for the whole fact.' }),
      reason: text(2000, { description: 'What is required, or what is wrong.' }),
      value: Type.Optional(
        text(500, {
          description: 'The invalid value as JSON, shortened, on one line. Only of public fields.',
        }),
      ),
    },
    { description: 'A reason why a batch was rejected.' },
  ),
)

export type Rejection = Static<typeof rejectionSchema>

export const outcomeSchema = named(
  'Outcome',
  strictObject(
    {
      batch: nullable({ ...batchId(), description: 'The batch; null for facts without a commit.' }),
      status: enumOf(batchStatusNames, { description: statusTable }),
      facts: count({ description: 'Number of facts that were applied; 0 if the batch was rejected.' }),
      set_aside: count({
        description:
          'Number of facts that were set aside, because the batch requests it with `refused`: stored one by one, listed in `refused`, and applied as soon as they fit.',
      }),
      events: nullable(
        count({
          description:
            'Number of events that it added to the log. Null in a check with a token without the role `admin`.',
        }),
      ),
      last_seq: nullable(
        count({
          description:
            '`seq` of the last of these events; null if there are none, and in a check with a token without the role `admin`.',
        }),
      ),
      refused: listOf(rejectionSchema, {
        maxItems: 100,
        description: 'The errors in the order of the facts: at most 100, and at most 20 per fact.',
      }),
      is_kept: Type.Boolean({
        description:
          'Whether the batch is kept in the dead-letter store, where it can be retried. false also if the store is full: the sender must keep it.',
      }),
    },
    { description: 'The result of one batch.' },
  ),
)

export type BatchOutcome = Static<typeof outcomeSchema>

export const appliedExample = {
  batch: 'turn-8817',
  status: 'applied',
  facts: 412,
  set_aside: 0,
  events: 37,
  last_seq: 10_482,
  refused: [],
  is_kept: false,
}
export const rejectedExample = {
  batch: 'turn-8818',
  status: 'refused',
  facts: 0,
  set_aside: 0,
  events: 0,
  last_seq: null,
  refused: [
    {
      line: 2,
      path: '/data/founded_at',
      reason: 'must be a UTC time such as 2026-05-20T10:00:00Z, or null',
      value: '"2026-05-20 10:00"',
    },
  ],
  is_kept: true,
}
const without = (status: BatchStatus) => ({ ...rejectedExample, status, refused: [], is_kept: false })
const conflictExample = {
  ...without('conflict'),
  refused: [{ line: 0, path: '/batch', reason: 'another batch was applied under this id' }],
}
const overtakenExample = {
  ...without('overtaken'),
  refused: [
    {
      line: 0,
      path: '/feed',
      reason: '`after` is not the last batch of the feed: read the feed, and continue from its last batch',
    },
  ],
}
const unavailableExample = without('unavailable')

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

As \`application/json\`: one batch of at most 8 MiB, with its id in \`Idempotency-Key\`. It has no commit: \`feed\`, \`announce\` and \`refused\` are members of the body.`,
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
    refused: Type.Optional({
      ...refusedFacts(),
      description: 'The member `refused` of all batches that lack it.',
      example: 'set_aside',
    }),
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
      refused: Type.Optional(refusedFacts()),
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

const { name, after } = feedPosition().properties

/** The position of a feed. */
export const feedMembers = {
  name,
  last_batch: {
    ...after,
    description: 'The batch of this feed that was applied last; null if there is none.',
  },
  applied_at: nullable(time({ description: 'When it was applied; null if there is none.' })),
}
export const feedExample = { name: 'turns', last_batch: 'turn-8817', applied_at: '2026-05-27T18:00:01.204Z' }

export const feedsGet = operatorOperation({
  id: 'feeds.get',
  method: 'GET',
  path: '/feeds/{name}',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Read the position of a feed',
  description:
    'The batch of a feed that was applied last, which the next one must name in `after`. The members of an unknown feed are null.',
  pathParameter: { name: 'name', description: 'Name of the feed.', example: 'turns' },
  responses: {
    200: jsonResponse(
      'The position.',
      named('Feed', strictObject(feedMembers, { description: 'The position of a feed.' })),
      feedExample,
    ),
  },
  errors: ['not_found'],
})
