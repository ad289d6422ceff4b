import Type, { type Static } from 'typebox'
import { batchId, feedPosition } from '../facts.ts'
import { limits } from '../limits.ts'
import { annotate, count, listOf, nullable, position, strictObject, time } from '../shared-schemas.ts'
import { batchConflict, batchRefused, batchUnavailable } from './facts.ts'
import { jsonResponse, named, operatorOperation } from './operation.ts'
import { appliedExample, outcomeSchema, refusalSchema, refusedExample } from './outcome.ts'

const { name: feedName } = feedPosition().properties

const members = {
  id: batchId(),
  feed: nullable(annotate(feedName, { description: 'The feed that it is of; null for none.' })),
  first_refused_at: time({ description: 'When it was first refused.' }),
  last_refused_at: time({ description: 'When it was last refused.' }),
  tries: position({ description: 'How often it was sent or tried.' }),
  facts: count({ description: 'Facts in it.' }),
  bytes: count({ description: 'How long its facts are as lines.' }),
  has_content: Type.Boolean({
    description: `Whether its facts are kept, so that it can be tried again. Beyond ${limits.deadLetterBytesMax} bytes, and where there is no room, they are not.`,
  }),
  overtaken_by: nullable(
    annotate(batchId(), {
      description:
        'A batch that was applied since and says something of the same things: applied now, this one would turn back time. Null for none.',
    }),
  ),
  refusals: listOf(refusalSchema, { description: 'Why it was refused, the last time.' }),
}
const example = {
  id: 'turn-8818',
  feed: null,
  first_refused_at: '2026-05-27T18:00:03.118Z',
  last_refused_at: '2026-05-27T18:00:03.118Z',
  tries: 1,
  facts: 2,
  bytes: 214,
  has_content: true,
  overtaken_by: null,
  refusals: refusedExample.refused,
}
const content =
  '{"op":"put","resource":"nation","data":{"id":"n42","nation_name":"…"}}\n{"op":"delete","resource":"alliance_member","id":"n9"}\n'

const refusedBatch = named(
  'RefusedBatch',
  strictObject(members, { description: 'A batch that was refused and not applied since.' }),
)
export type RefusedBatch = Static<typeof refusedBatch>

const refusedBatchWithContent = named(
  'RefusedBatchWithContent',
  strictObject(
    {
      ...members,
      is_announced: Type.Boolean({ description: 'Whether its events would be pushed as news.' }),
      content: nullable(
        Type.String({ description: 'Its facts, a line each, without the commit; null where not kept.' }),
      ),
    },
    { description: 'A refused batch with its facts.' },
  ),
)
export type RefusedBatchWithContent = Static<typeof refusedBatchWithContent>

const droppedBatch = named(
  'DroppedBatch',
  strictObject(
    {
      id: batchId(),
      feed: nullable(annotate(feedName, { description: 'The feed that it is of; null for none.' })),
      facts: count({ description: 'Facts in it.' }),
      bytes: count({ description: 'How long its facts are as lines.' }),
      is_listed: Type.Boolean({
        description: 'true where its facts alone were dropped: the batch was listed at that time.',
      }),
      dropped_at: time({ description: 'When it was dropped.' }),
    },
    { description: 'A refused batch that was dropped, or whose facts were, because there was no room.' },
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
  summary: 'List refused batches',
  description: `Batches that were refused within the last ${limits.deadLetterDays} days and not applied since, the latest first, without their facts.

At most ${limits.deadLettersPerFeed} batches and ${mebibytes(limits.deadLetterBytesPerFeed)} of one feed are kept (batches of no known feed share the room of one), and ${limits.deadLettersTotal} batches and ${mebibytes(limits.deadLetterBytesTotal)} in all. Where there is no room, records without facts and batches that were overtaken are dropped, the oldest first. If that is not enough, the facts of the new batch are not kept, and the sender is told so by \`is_kept\`. \`dropped\` lists the latest ${limits.droppedDeadLettersListed} of both kinds.`,
  query: strictObject({
    feed: Type.Optional({ ...feedName, description: 'Only of this feed.' }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'How many to list. Default 100.' }),
    ),
  }),
  responses: {
    200: jsonResponse(
      'The batches, and those that were dropped.',
      strictObject({
        data: listOf(refusedBatch),
        dropped: listOf(droppedBatch, { description: 'Dropped for lack of room, the latest first.' }),
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
  summary: 'Read a refused batch',
  description: 'One refused batch, with its facts as they were sent.',
  pathParameter,
  responses: {
    200: jsonResponse('The batch.', refusedBatchWithContent, { ...example, is_announced: true, content }),
  },
  errors: ['not_found'],
})

export const refusedRetry = operatorOperation({
  id: 'refused.retry',
  method: 'POST',
  path: '/refused/{id}/retry',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Try a refused batch again',
  description:
    'Applies a refused batch as it was sent: for one whose reason is gone, because what it refers to has come or the game profile has changed. Applied, it leaves the list. One that was overtaken is not tried unless `anyway` says so. One that holds an `erase` is refused again unless the token has the role `admin`.',
  pathParameter,
  body: {
    schema: strictObject({
      anyway: Type.Optional(
        Type.Boolean({
          description: 'true tries a batch although a later one has said something of the same things.',
        }),
      ),
    }),
    examples: { Retry: {}, Anyway: { anyway: true } },
    isOptional: true,
  },
  responses: {
    200: jsonResponse('It is applied.', outcomeSchema, appliedExample),
    409: batchConflict,
    422: batchRefused,
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
  summary: 'Drop a refused batch',
  description: 'Forgets a refused batch. What it said is not applied.',
  pathParameter,
  responses: {
    200: jsonResponse(
      'It is gone.',
      strictObject({ id: batchId(), dropped: Type.Literal(true, { description: 'Always true.' }) }),
      { id: 'turn-8818', dropped: true },
    ),
  },
  errors: ['not_found'],
})
