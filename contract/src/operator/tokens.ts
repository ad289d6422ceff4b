import Type, { type Static } from 'typebox'
import { limits } from '../limits.ts'
import {
  enumOf,
  listOf,
  name,
  nullable,
  patternString,
  strictObject,
  text,
  time,
  timeOfAnyZone,
} from '../shared-schemas.ts'
import {
  jsonResponse,
  listResponse,
  named,
  operatorOperation,
  operatorRoleNames,
  operatorRoles,
} from './operation.ts'

const roles = Object.entries(operatorRoles)
  .map(([role, opens]) => `- \`${role}\`: ${opens}`)
  .join('\n')

const members = {
  id: text(64, { description: 'The token’s id. Not secret.' }),
  name: name(100, {
    description: 'The name of its user. Unique among valid tokens, except during a rotation.',
  }),
  roles: listOf(enumOf(operatorRoleNames), { description: `Its roles.\n\n${roles}` }),
  created_at: time({ description: 'When it was created.' }),
  expires_at: nullable(time({ description: 'When it expires; null for never.' })),
  revoked_at: nullable(time({ description: 'When it was revoked; null if it is not.' })),
  last_used_at: nullable(time({ description: 'When it was last used, to the minute; null for never.' })),
}
const example = {
  id: 'tok_4fZk81QzL0w',
  name: 'game-server',
  roles: ['facts', 'identity'],
  created_at: '2026-05-01T12:00:00Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-05-27T17:58:20Z',
}
export const operatorTokenSchema = named(
  'Token',
  strictObject(members, { description: 'A named operator token, without its text.' }),
)
export type OperatorTokenRecord = Static<typeof operatorTokenSchema>

const newToken = named(
  'NewToken',
  strictObject(
    {
      ...members,
      token: text(64, { description: 'The token itself: `cho_` and 43 letters, digits, - and _.' }),
    },
    { description: 'A named operator token with its text.' },
  ),
)
const newExample = {
  ...example,
  token: 'cho_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA',
  last_used_at: null,
}
const pathParameter = {
  name: 'id',
  description: 'The token’s id, not the token itself.',
  example: example.id,
}
const expiry = (description: string) => Type.Optional(nullable(timeOfAnyZone({ description })))

export const tokensCreate = operatorOperation({
  id: 'tokens.create',
  method: 'POST',
  path: '/tokens',
  tag: 'Tokens',
  roles: [],
  summary: 'Create a token',
  description:
    'Creates a token for one service of the game, with the roles that it requires. Several may be valid at once. The admin token of the configuration is not listed here; the audit log shows it as `main`.',
  body: {
    schema: strictObject({
      name: patternString(
        '^[A-Za-z0-9](?:[A-Za-z0-9._ -]{0,98}[A-Za-z0-9._-])?$',
        'must be a name of 1 to 100 letters (A to Z), digits, spaces and . _ - that begins with a letter or digit and does not end with a space',
        { description: 'The name of its user: letters, digits, spaces and . _ - (at most 100).' },
      ),
      roles: Type.Array(enumOf(operatorRoleNames), {
        minItems: 1,
        maxItems: operatorRoleNames.length,
        uniqueItems: true,
        description: `Its roles.\n\n${roles}`,
      }),
      expires_at: expiry('When it expires. Default: never (null).'),
    }),
    examples: {
      Token: { name: 'game-server', roles: ['facts', 'identity'] },
      'With expiry': { name: 'prometheus', roles: ['metrics'], expires_at: '2027-01-01T00:00:00Z' },
    },
  },
  responses: { 201: jsonResponse('The token. Its text is returned only once.', newToken, newExample) },
  errors: ['conflict'],
})

export const tokensList = operatorOperation({
  id: 'tokens.list',
  method: 'GET',
  path: '/tokens',
  tag: 'Tokens',
  roles: [],
  summary: 'List tokens',
  description: `Tokens, oldest first. Revoked and expired ones are listed for ${limits.endedTokenDays} days.`,
  responses: { 200: listResponse('The tokens.', operatorTokenSchema, example) },
})

export const tokensRotate = operatorOperation({
  id: 'tokens.rotate',
  method: 'POST',
  path: '/tokens/{id}/rotate',
  tag: 'Tokens',
  roles: [],
  summary: 'Rotate a token',
  description:
    'Creates a new token with the same name and roles and a new id. The old token stays valid for the overlap, so that its user can switch without downtime.',
  pathParameter,
  body: {
    schema: strictObject({
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.tokenOverlapHoursMax,
          description: `For how many hours the old token stays valid. Default ${limits.tokenOverlapHours}; 0 revokes it at once.`,
        }),
      ),
      expires_at: expiry(
        'When the new token expires; null for never. Default: the same lifetime as the old one.',
      ),
    }),
    examples: { Rotate: {}, 'At once': { overlap_hours: 0 } },
    isOptional: true,
  },
  responses: {
    201: jsonResponse('The new token. Its text is returned only once.', newToken, {
      ...newExample,
      id: 'tok_9dQm07BcXe2',
    }),
  },
  errors: ['not_found', 'conflict'],
})

export const tokensRevoke = operatorOperation({
  id: 'tokens.revoke',
  method: 'POST',
  path: '/tokens/{id}/revoke',
  tag: 'Tokens',
  roles: [],
  summary: 'Revoke a token',
  description:
    'Revokes a token, effective everywhere within a second, and closes its streams of facts. Revoking it again changes nothing.',
  pathParameter,
  responses: {
    200: jsonResponse('The token.', operatorTokenSchema, { ...example, revoked_at: '2026-05-27T18:00:00Z' }),
  },
  errors: ['not_found'],
})
