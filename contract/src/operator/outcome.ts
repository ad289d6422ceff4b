import Type, { type Static } from 'typebox'
import { batchId } from '../facts.ts'
import { count, enumOf, listOf, nullable, strictObject, text } from '../shared-schemas.ts'
import { named } from './operation.ts'

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
      facts: count({ description: 'Number of facts in the batch; 0 if it was rejected.' }),
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
  events: 37,
  last_seq: 10_482,
  refused: [],
  is_kept: false,
}
export const rejectedExample = {
  batch: 'turn-8818',
  status: 'refused',
  facts: 0,
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
export const conflictExample = {
  ...without('conflict'),
  refused: [{ line: 0, path: '/batch', reason: 'another batch was applied under this id' }],
}
export const overtakenExample = {
  ...without('overtaken'),
  refused: [
    {
      line: 0,
      path: '/feed',
      reason: '`after` is not the last batch of the feed: read the feed, and continue from its last batch',
    },
  ],
}
export const unavailableExample = without('unavailable')
