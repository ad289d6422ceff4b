import Type from 'typebox'
import { count, id, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, operatorOperation } from './operation.ts'

const pathParameter = { name: 'id', description: 'The game’s id of the player.', example: 'p7' }
const note = () =>
  nullable(text(1000, { description: 'Why, for whoever looks later; null for no reason given.' }))

export const playersSuspend = operatorOperation({
  id: 'players.suspend',
  method: 'POST',
  path: '/players/{id}/suspend',
  tag: 'Players',
  roles: [],
  summary: 'Suspend a player',
  description:
    'From then on the player’s keys open nothing, nobody signs in as them, and their webhooks are switched off. Suspending again keeps the time of the first.',
  pathParameter,
  body: {
    schema: strictObject({ note: Type.Optional(note()) }),
    examples: { Suspend: { note: 'sold keys, see ticket 4711' } },
    isOptional: true,
  },
  responses: {
    200: jsonResponse(
      'The player is suspended.',
      strictObject({
        player_id: id({ description: 'The player.' }),
        suspended_at: time({ description: 'Since when.' }),
        note: note(),
        webhooks_disabled: count({ description: 'Webhook endpoints that were switched off.' }),
      }),
      {
        player_id: 'p7',
        suspended_at: '2026-05-27T18:00:00Z',
        note: 'sold keys, see ticket 4711',
        webhooks_disabled: 2,
      },
    ),
  },
})

export const playersResume = operatorOperation({
  id: 'players.resume',
  method: 'POST',
  path: '/players/{id}/resume',
  tag: 'Players',
  roles: [],
  summary: 'Let a suspended player in again',
  description:
    'The player’s keys open what they did before. Webhooks that were switched off stay off until somebody enables them.',
  pathParameter,
  responses: {
    200: jsonResponse(
      'The player is let in.',
      strictObject({
        player_id: id({ description: 'The player.' }),
        suspended_at: Type.Null({ description: 'Always null.' }),
      }),
      { player_id: 'p7', suspended_at: null },
    ),
  },
  errors: ['not_found'],
})
