import Type from 'typebox'
import { limits } from '../limits.ts'
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
import { call, callExample } from './requests.ts'

const callsMax = 1_000_000_000
const callLimit = (description: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: callsMax, description }))

const members = {
  id: text(64, { description: 'The key’s id. Not secret.' }),
  player_id: id({ description: 'The player who owns it.' }),
  name: text(100, { description: 'Its name.' }),
  prefix: nullable(
    text(16, { description: 'Its first characters; null for keys from before these were stored.' }),
  ),
  scopes: listOf(enumOf(scopeNames), { description: 'What it may read.' }),
  limit: callLimit('Calls per minute; null for the default limit.'),
  limit_note: nullable(
    text(1000, {
      description: 'The reason for its own limit, visible to its owner; null if none was given.',
    }),
  ),
  limit_request: nullable(
    strictObject(
      {
        calls_per_minute: position({ description: 'Requested calls per minute.' }),
        sentence: text(500, { description: 'The owner’s reason: untrusted text.' }),
        asked_at: time({ description: 'When it was requested.' }),
      },
      { description: 'The owner’s pending request for a higher limit; null for none.' },
    ),
  ),
  created_at: time({ description: 'When it was created.' }),
  expires_at: nullable(time({ description: 'When it expires; null for never.' })),
  revoked_at: nullable(time({ description: 'When it was revoked; null if it is not.' })),
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
  summary: 'Create a key',
  description:
    'Creates an API key for a player, who is named by exactly one of `nation_id` and `player_id`. Players create their own in the developer settings.',
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
        nullable(timeOfAnyZone({ description: 'When it expires. Default: never (null).' })),
      ),
      limit: Type.Optional(callLimit('Calls per minute. Default: the default limit (null).')),
    }),
    examples: {
      Key: { nation_id: 'n42', name: 'my bot', scopes: ['nation.read', 'military.read'] },
      'With expiry': { player_id: 'p42', name: 'tournament', expires_at: '2027-01-01T00:00:00Z', limit: 600 },
    },
  },
  responses: {
    201: jsonResponse(
      'The key. Its text is returned only once.',
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
  description: 'Keys of one player or of all, oldest first, including revoked and expired ones.',
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
  description: 'Revokes a key, effective everywhere within a second. Revoking it again changes nothing.',
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
  summary: 'Set the limit of a key',
  description:
    'Sets how many calls per minute a key may make, and resolves its owner’s request for a higher limit, if there is one.',
  pathParameter,
  body: {
    schema: strictObject({
      limit: callLimit('Calls per minute; null restores the default limit.'),
      note: Type.Optional(
        nullable(
          text(1000, {
            description:
              'The reason. The owner of the key reads this text in the developer settings: write nothing that is for operators only.',
          }),
        ),
      ),
    }),
    examples: { Limit: { limit: 600, note: 'war room bot' }, 'Default limit': { limit: null } },
  },
  responses: { 200: jsonResponse('The key.', key, { ...example, limit: 600, limit_note: 'war room bot' }) },
  errors: ['not_found'],
})

export const keysRequests = operatorOperation({
  id: 'keys.requests',
  method: 'GET',
  path: '/keys/{id}/requests',
  tag: 'Calls',
  roles: [],
  summary: 'List the requests of a key',
  description: `The latest requests with a key, newest first, from the request log of ${limits.requestLogDays} days.`,
  pathParameter,
  query: strictObject({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Number of requests. Default 100.',
        example: 20,
      }),
    ),
  }),
  responses: { 200: listResponse('The requests.', call, callExample) },
  errors: ['not_found'],
})
