import { feedPosition } from '../facts.ts'
import { nullable, strictObject, time } from '../shared-schemas.ts'
import { jsonResponse, named, operatorOperation } from './operation.ts'

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
