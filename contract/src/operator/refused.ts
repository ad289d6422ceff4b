import Type, { type Static } from 'typebox'
import { batchId, feedPosition } from '../facts.ts'
import { limits } from '../limits.ts'
import { annotate, count, listOf, nullable, position, strictObject, time } from '../shared-schemas.ts'
import {
  appliedExample,
  batchConflict,
  batchRejected,
  batchUnavailable,
  outcomeSchema,
  rejectedExample,
  rejectionSchema,
} from './facts.ts'
import { jsonResponse, named, operatorOperation } from './operation.ts'

const { name: feedName } = feedPosition().properties

const members = {
  id: batchId(),
  feed: nullable(annotate(feedName, { description: 'Its feed; null for none.' })),
  is_set_aside: Type.Boolean({
    description:
      'Whether it is one fact that was set aside from its batch: it is retried by itself when the world changes, and removed when later facts replace it.',
  }),
  first_refused_at: time({ description: 'When it was first rejected.' }),
  last_refused_at: time({ description: 'When it was last rejected.' }),
  tries: position({ description: 'How often it was sent or retried.' }),
  facts: count({ description: 'Number of facts.' }),
  bytes: count({ description: 'Size of its facts as NDJSON.' }),
  has_content: Type.Boolean({
    description: `Whether its facts are kept, so that it can be retried. Facts of more than ${limits.deadLetterBytesMax} bytes are not kept, nor any if the store is full.`,
  }),
  overtaken_by: nullable(
    annotate(batchId(), {
      description:
        'A later applied batch with facts about the same rows, which this one would overwrite with older data. Null for none.',
    }),
  ),
  refusals: listOf(rejectionSchema, { description: 'Why it was last rejected.' }),
}
const example = {
  id: 'turn-8818',
  feed: null,
  is_set_aside: false,
  first_refused_at: '2026-05-27T18:00:03.118Z',
  last_refused_at: '2026-05-27T18:00:03.118Z',
  tries: 1,
  facts: 2,
  bytes: 214,
  has_content: true,
  overtaken_by: null,
  refusals: rejectedExample.refused,
}
const content =
  '{"op":"put","resource":"nation","data":{"id":"n42","nation_name":"…"}}\n{"op":"delete","resource":"alliance_member","id":"n9"}\n'

const rejectedBatch = named(
  'RefusedBatch',
  strictObject(members, { description: 'A rejected batch that has not been applied since.' }),
)
export type RejectedBatch = Static<typeof rejectedBatch>

const rejectedBatchWithContent = named(
  'RefusedBatchWithContent',
  strictObject(
    {
      ...members,
      is_announced: Type.Boolean({
        description: 'Whether its events would be sent to open streams and webhooks.',
      }),
      content: nullable(
        Type.String({ description: 'Its facts as NDJSON, without the commit; null if they are not kept.' }),
      ),
    },
    { description: 'A rejected batch with its facts.' },
  ),
)
export type RejectedBatchWithContent = Static<typeof rejectedBatchWithContent>

const droppedBatch = named(
  'DroppedBatch',
  strictObject(
    {
      id: batchId(),
      feed: nullable(annotate(feedName, { description: 'Its feed; null for none.' })),
      facts: count({ description: 'Number of facts.' }),
      bytes: count({ description: 'Size of its facts as NDJSON.' }),
      is_listed: Type.Boolean({
        description: 'true if only its facts were dropped, and the batch stayed in the list.',
      }),
      dropped_at: time({ description: 'When it was dropped.' }),
    },
    {
      description:
        'A rejected batch that was dropped, or whose facts were dropped, because the store was full.',
    },
  ),
)
export type DroppedBatch = Static<typeof droppedBatch>

const mebibytes = (bytes: number) => `${bytes / 1_048_576} MiB`

const pathParameter = { name: 'id', description: 'The batch’s id.', example: 'turn-8818' }

export const refusedList = operatorOperation({
  id: 'refused.list',
  method: 'GET',
  path: '/refused',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'List rejected batches',
  description: `The dead-letter store: batches that were rejected within the last ${limits.deadLetterDays} days and not applied since, newest first, without their facts.

At most ${limits.deadLettersPerFeed} batches and ${mebibytes(limits.deadLetterBytesPerFeed)} are kept per feed (batches without a known feed count as one feed), and ${limits.deadLettersTotal} batches and ${mebibytes(limits.deadLetterBytesTotal)} in total. When the store is full, records without facts and superseded batches (those with \`overtaken_by\`) are dropped, oldest first. If that is not enough, the facts of the new batch are not kept, which \`is_kept\` reports to the sender. \`dropped\` lists the latest ${limits.droppedDeadLettersListed} of both kinds.`,
  query: strictObject({
    feed: Type.Optional({ ...feedName, description: 'Only batches of this feed.', examples: ['main'] }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Number of batches. Default 100.',
        example: 20,
      }),
    ),
  }),
  responses: {
    200: jsonResponse(
      'The batches, and those that were dropped.',
      strictObject({
        data: listOf(rejectedBatch),
        dropped: listOf(droppedBatch, { description: 'Dropped because the store was full, newest first.' }),
      }),
      {
        data: [example],
        dropped: [
          {
            id: 'turn-8640',
            feed: null,
            facts: 9_120,
            bytes: 3_412_006,
            is_listed: false,
            dropped_at: '2026-05-27T17:40:00Z',
          },
        ],
      },
    ),
  },
})

export const refusedGet = operatorOperation({
  id: 'refused.get',
  method: 'GET',
  path: '/refused/{id}',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Read a rejected batch',
  description: 'One rejected batch, with its facts as they were sent.',
  pathParameter,
  responses: {
    200: jsonResponse('The batch.', rejectedBatchWithContent, { ...example, is_announced: true, content }),
  },
  errors: ['not_found'],
})

export const refusedRetry = operatorOperation({
  id: 'refused.retry',
  method: 'POST',
  path: '/refused/{id}/retry',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Retry a rejected batch',
  description:
    'Applies a rejected batch as it was sent, when the reason for the rejection no longer exists: missing rows have been sent, or the game profile has changed. An applied batch is removed from the list. A superseded batch (`overtaken_by` is set) is retried only with `anyway`. A batch with an `erase` is rejected again unless the token has the role `admin`.',
  pathParameter,
  body: {
    schema: strictObject({
      anyway: Type.Optional(
        Type.Boolean({
          description: 'true retries a batch although a later one has facts about the same rows.',
        }),
      ),
    }),
    examples: { Retry: {}, Anyway: { anyway: true } },
    isOptional: true,
  },
  responses: {
    200: jsonResponse('The batch is applied.', outcomeSchema, appliedExample),
    409: batchConflict,
    422: batchRejected,
    503: batchUnavailable,
  },
  errors: ['not_found', 'conflict'],
})

export const refusedDrop = operatorOperation({
  id: 'refused.drop',
  method: 'DELETE',
  path: '/refused/{id}',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Drop a rejected batch',
  description: 'Deletes a rejected batch without applying it.',
  pathParameter,
  responses: {
    200: jsonResponse(
      'The batch is deleted.',
      strictObject({ id: batchId(), dropped: Type.Literal(true, { description: 'Always true.' }) }),
      { id: 'turn-8818', dropped: true },
    ),
  },
  errors: ['not_found'],
})

export const refusedDropAll = operatorOperation({
  id: 'refused.drop_all',
  method: 'DELETE',
  path: '/refused',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Drop all rejected batches of a feed',
  description:
    'Deletes the rejected batches of a feed without applying them, as after its sender was replaced. Batches without a feed stay.',
  query: strictObject({
    feed: annotate(feedName, {
      description: 'The feed whose rejected batches are dropped.',
      examples: ['main'],
    }),
  }),
  responses: {
    200: jsonResponse(
      'The batches were dropped.',
      strictObject({ feed: feedName, dropped: count({ description: 'Number of batches.' }) }),
      { feed: 'main', dropped: 12 },
    ),
  },
})
