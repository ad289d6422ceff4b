import Type from 'typebox'
import { count, id, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, operatorOperation } from './operation.ts'

const pathParameter = { name: 'id', description: 'The game’s id of the player.', example: 'p7' }
const note = () => nullable(text(1000, { description: 'The reason, for operators; null if none was given.' }))

export const playersSuspend = operatorOperation({
  id: 'players.suspend',
  method: 'POST',
  path: '/players/{id}/suspend',
  tag: 'Players',
  roles: [],
  summary: 'Suspend a player',
  description:
    'Rejects the player’s keys and sign-ins, and disables their webhooks. Suspending a suspended player keeps the original time.',
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
        suspended_at: time({ description: 'When the player was suspended.' }),
        note: note(),
        webhooks_disabled: count({ description: 'Number of webhook endpoints that were disabled.' }),
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
  summary: 'Resume a suspended player',
  description: 'The player’s keys work again. Disabled webhooks stay disabled until they are enabled.',
  pathParameter,
  responses: {
    200: jsonResponse(
      'The player is no longer suspended.',
      strictObject({
        player_id: id({ description: 'The player.' }),
        suspended_at: Type.Null({ description: 'Always null.' }),
      }),
      { player_id: 'p7', suspended_at: null },
    ),
  },
  errors: ['not_found'],
})
