import Type from 'typebox'
import { limits } from '../limits.ts'
import { count, id, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

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

const player = named(
  'Player',
  strictObject(
    {
      player_id: id({ description: 'The player.' }),
      nation_id: nullable(id({ description: 'The nation that the player leads; null for none.' })),
      nation_name: nullable(text(100, { description: 'Its name: untrusted text.' })),
      suspended_at: nullable(time({ description: 'When the player was suspended; null if they are not.' })),
      note: note(),
      keys: count({ description: 'Number of active keys.' }),
      webhooks: count({ description: 'Number of webhook endpoints.' }),
      last_used_at: nullable(
        time({ description: 'When one of the keys was last used, to the minute; null for never.' }),
      ),
    },
    { description: 'A player of the game.' },
  ),
)
const playerExample = {
  player_id: 'p7',
  nation_id: 'n7',
  nation_name: 'Northmark',
  suspended_at: '2026-05-27T18:00:00Z',
  note: 'sold keys, see ticket 4711',
  keys: 1,
  webhooks: 2,
  last_used_at: '2026-05-27T17:58:00Z',
}

export const playersList = operatorOperation({
  id: 'players.list',
  method: 'GET',
  path: '/players',
  tag: 'Players',
  roles: [],
  summary: 'List players',
  description:
    'Players who lead a nation, have a key, a webhook endpoint or a session, or are suspended, by id.',
  query: strictObject({
    is_suspended: Type.Optional(
      Type.Boolean({ description: 'Only players who are, or are not, suspended.', example: true }),
    ),
    after: Type.Optional(
      id({ description: 'Only players after this id: the last one of the previous page.', example: 'p6' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Number of players. Default 100.',
        example: 20,
      }),
    ),
  }),
  responses: { 200: listResponse('The players.', player, playerExample) },
})

export const playersGet = operatorOperation({
  id: 'players.get',
  method: 'GET',
  path: '/players/{id}',
  tag: 'Players',
  roles: [],
  summary: 'Read a player',
  description: 'A player of the list.',
  pathParameter,
  responses: { 200: jsonResponse('The player.', player, playerExample) },
  errors: ['not_found'],
})

export const playersExport = operatorOperation({
  id: 'players.export',
  method: 'POST',
  path: '/players/{id}/export',
  tag: 'Players',
  roles: [],
  summary: 'Export what is held about a player',
  description: `Everything that is stored about a player and the nations that they lead at present: account, keys, requests, webhooks, sessions, log of changes, nation with its private fields and notes, and its events; no secrets and no hashes. It includes notes of operators and moderators, and what the game marks as secret: read it before you hand it over. At most ${limits.exportRowsPerTable} rows of each table.`,
  pathParameter,
  responses: {
    200: jsonResponse(
      'The data.',
      strictObject({
        player_id: id({ description: 'The player.' }),
        exported_at: time({ description: 'When it was read.' }),
        tables: Type.Object(
          {},
          {
            additionalProperties: Type.Array(Type.Unknown()),
            description: 'By the name of a table, its rows about the player. Tables without any are absent.',
          },
        ),
        truncated: listOf(text(128), { description: 'Tables of which there are more rows.' }),
      }),
      {
        player_id: 'p7',
        exported_at: '2026-05-27T18:00:00Z',
        tables: {
          'chancery_access.suspension': [
            { player_id: 'p7', suspended_at: '2026-05-27T18:00:00Z', note: null },
          ],
        },
        truncated: [],
      },
    ),
  },
  errors: ['not_found'],
})
