import Type from 'typebox'
import { id, nullable, position, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

const callsMax = 1_000_000_000
const members = {
  key_id: text(64, { description: 'The key.' }),
  key_name: text(100, { description: 'Its name: untrusted text.' }),
  player_id: id({ description: 'The player who owns it.' }),
  limit: nullable(position({ description: 'Its calls per minute at present; null for the default limit.' })),
  calls_per_minute: position({ description: 'Requested calls per minute.' }),
  sentence: text(500, { description: 'The owner’s reason: untrusted text.' }),
  asked_at: time({ description: 'When it was requested.' }),
}
const limitRequest = named(
  'LimitRequest',
  strictObject(members, { description: 'A pending request for a higher limit of a key.' }),
)
const example = {
  key_id: 'key_4fZk81QzL0w',
  key_name: 'my bot',
  player_id: 'p42',
  limit: null,
  calls_per_minute: 600,
  sentence: 'War room of forty members.',
  asked_at: '2026-05-27T18:00:00Z',
}
const pathParameter = { name: 'id', description: 'The key’s id.', example: example.key_id }
const note = Type.Optional(
  nullable(
    text(1000, {
      description:
        'The reason. The owner of the key reads this text in the developer settings: write nothing that is for operators only.',
    }),
  ),
)
const outcome = (description: string, limit: number | null) =>
  jsonResponse(
    description,
    strictObject({
      key_id: members.key_id,
      limit: members.limit,
      note: nullable(text(1000, { description: 'The reason; null if none was given.' })),
    }),
    { key_id: example.key_id, limit, note: 'for the war' },
  )

export const limitRequestsList = operatorOperation({
  id: 'limit_requests.list',
  method: 'GET',
  path: '/limit-requests',
  tag: 'Keys',
  roles: [],
  summary: 'List requests for higher limits',
  description: 'Pending requests of players, oldest first, at most 1,000.',
  responses: { 200: listResponse('The requests.', limitRequest, example) },
})

export const limitRequestsApprove = operatorOperation({
  id: 'limit_requests.approve',
  method: 'POST',
  path: '/limit-requests/{id}/approve',
  tag: 'Keys',
  roles: [],
  summary: 'Approve a request for a higher limit',
  description: 'Sets the limit of the key to the requested one, or to another.',
  pathParameter,
  body: {
    schema: strictObject({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: callsMax,
          description: 'Calls per minute. Default: as requested.',
        }),
      ),
      note,
    }),
    examples: { Approve: { note: 'for the war' }, 'Less than requested': { limit: 300 } },
    isOptional: true,
  },
  responses: { 200: outcome('The request is approved.', 600) },
  errors: ['not_found'],
})

export const limitRequestsDecline = operatorOperation({
  id: 'limit_requests.decline',
  method: 'POST',
  path: '/limit-requests/{id}/decline',
  tag: 'Keys',
  roles: [],
  summary: 'Decline a request for a higher limit',
  description: 'The key keeps its limit. The owner reads the reason.',
  pathParameter,
  body: {
    schema: strictObject({ note }),
    examples: { Decline: { note: 'use ids= to read several nations' } },
    isOptional: true,
  },
  responses: { 200: outcome('The request is declined.', null) },
  errors: ['not_found'],
})
