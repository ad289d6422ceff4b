import { feedPosition } from '../facts.ts'
import { nullable, strictObject, time } from '../shared-schemas.ts'
import { jsonResponse, named, operatorOperation } from './operation.ts'

const { name, after } = feedPosition().properties

/** Where a feed stands. */
export const feedMembers = {
  name,
  last_batch: { ...after, description: 'The batch of this feed that was applied last; null where none was.' },
  applied_at: nullable(time({ description: 'When it was applied; null where none was.' })),
}
export const feedExample = { name: 'turns', last_batch: 'turn-8817', applied_at: '2026-05-27T18:00:01.204Z' }

export const feedsGet = operatorOperation({
  id: 'feeds.get',
  method: 'GET',
  path: '/feeds/{name}',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Read where a feed stands',
  description:
    'The batch of a feed that was applied last: what the next one must name in `after`. A feed that nobody has sent yet stands nowhere: its members are null.',
  pathParameter: { name: 'name', description: 'Name of the feed.', example: 'turns' },
  responses: {
    200: jsonResponse(
      'Where it stands.',
      named('Feed', strictObject(feedMembers, { description: 'Where a feed stands.' })),
      feedExample,
    ),
  },
  errors: ['not_found'],
})
