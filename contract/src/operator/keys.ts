import Type from 'typebox'
import { scopeNames } from '../scopes.ts'
import {
  enumOf,
  id,
  listOf,
  name,
  nullable,
  position,
  strictObject,
  text,
  time,
  timeOfAnyZone,
} from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'
import { ofPlayer, playerMembers } from './player-selector.ts'

const callsMax = 1_000_000_000
const callLimit = (description: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: callsMax, description }))

const members = {
  id: text(64, { description: 'The key’s id. It is no secret.' }),
  player_id: id({ description: 'Whose key it is.' }),
  name: text(100, { description: 'What its owner calls it.' }),
  prefix: nullable(text(16, { description: 'How it begins; null for keys made before that was kept.' })),
  scopes: listOf(enumOf(scopeNames), { description: 'What it may read.' }),
  limit: callLimit('Calls a minute; null for the usual limit.'),
  limit_note: nullable(
    text(1000, {
      description: 'Why it has a limit of its own, as its owner reads it; null for no reason given.',
    }),
  ),
  limit_request: nullable(
    strictObject(
      {
        calls_per_minute: position({ description: 'Calls a minute that are asked for.' }),
        sentence: text(500, { description: 'Why, in the owner’s words: a stranger’s text.' }),
        asked_at: time({ description: 'When it was asked.' }),
      },
      { description: 'The owner’s wish for a higher limit that nobody has answered; null for none.' },
    ),
  ),
  created_at: time({ description: 'When it was made.' }),
  expires_at: nullable(time({ description: 'When it ends by itself; null for never.' })),
  revoked_at: nullable(time({ description: 'When it was revoked; null while it is not.' })),
  last_used_at: nullable(time({ description: 'When it was last used, to the minute; null for never.' })),
}
const example = {
  id: 'key_4fZk81QzL0w',
  player_id: 'p42',
  name: 'my bot',
  prefix: 'chk_4fZk',
  scopes: ['nation.read', 'military.read'],
  limit: null,
  limit_note: null,
  limit_request: null,
  created_at: '2026-05-01T12:00:00Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-05-27T17:58:20Z',
}
const key = named('Key', strictObject(members, { description: 'An API key, without its secret.' }))
const pathParameter = { name: 'id', description: 'The key’s id, not the key itself.', example: example.id }

export const keysCreate = operatorOperation({
  id: 'keys.create',
  method: 'POST',
  path: '/keys',
  tag: 'Keys',
  roles: [],
  summary: 'Make a key',
  description:
    'An API key for a player, who is named by exactly one of `nation_id` and `player_id`. Players make their own in the developer settings.',
  body: {
    schema: strictObject({
      ...playerMembers,
      name: name(100, { description: 'What the key is for.' }),
      scopes: Type.Optional(
        Type.Array(enumOf(scopeNames), {
          maxItems: 20,
          description: 'What it may read. Default: nation.read.',
        }),
      ),
      expires_at: Type.Optional(
        nullable(timeOfAnyZone({ description: 'When it ends by itself. Default: never (null).' })),
      ),
      limit: Type.Optional(callLimit('Calls a minute. Default: the usual limit (null).')),
    }),
    examples: {
      Key: { nation_id: 'n42', name: 'my bot', scopes: ['nation.read', 'military.read'] },
      Ending: { player_id: 'p42', name: 'tournament', expires_at: '2027-01-01T00:00:00Z', limit: 600 },
    },
  },
  responses: {
    201: jsonResponse(
      'The key. Its text is shown this once.',
      named(
        'NewKey',
        strictObject(
          { ...members, key: text(64, { description: 'The key itself: `chk_` and 38 letters and digits.' }) },
          { description: 'An API key with its secret.' },
        ),
      ),
      {
        ...example,
        key: 'chk_EXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPL',
        last_used_at: null,
      },
    ),
  },
  errors: ['not_found'],
})

export const keysList = operatorOperation({
  id: 'keys.list',
  method: 'GET',
  path: '/keys',
  tag: 'Keys',
  roles: [],
  summary: 'List keys',
  description:
    'Keys of one player, or of all, the oldest first; also those that are revoked or have expired.',
  query: ofPlayer,
  responses: { 200: listResponse('The keys.', key, example) },
  errors: ['not_found'],
})

export const keysRevoke = operatorOperation({
  id: 'keys.revoke',
  method: 'POST',
  path: '/keys/{id}/revoke',
  tag: 'Keys',
  roles: [],
  summary: 'Revoke a key',
  description: 'Ends a key, everywhere within a second. Revoking it again changes nothing.',
  pathParameter,
  responses: { 200: jsonResponse('The key.', key, { ...example, revoked_at: '2026-05-27T18:00:00Z' }) },
  errors: ['not_found'],
})

export const keysSetLimit = operatorOperation({
  id: 'keys.set_limit',
  method: 'PUT',
  path: '/keys/{id}/limit',
  tag: 'Keys',
  roles: [],
  summary: 'Give a key a limit of its own',
  description:
    'Sets how many calls a minute a key may make, and answers its owner’s wish for more, if there is one.',
  pathParameter,
  body: {
    schema: strictObject({
      limit: callLimit('Calls a minute; null gives back the usual limit.'),
      note: Type.Optional(
        nullable(
          text(1000, {
            description:
              'Why. The player who owns the key reads this text in the developer settings: write nothing that is for operators alone.',
          }),
        ),
      ),
    }),
    examples: { Limit: { limit: 600, note: 'war room bot' }, Usual: { limit: null } },
  },
  responses: { 200: jsonResponse('The key.', key, { ...example, limit: 600, limit_note: 'war room bot' }) },
  errors: ['not_found'],
})
