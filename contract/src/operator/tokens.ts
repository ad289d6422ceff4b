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
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'
import { operatorRoleNames, operatorRoles } from './roles.ts'

const roles = Object.entries(operatorRoles)
  .map(([role, opens]) => `- \`${role}\`: ${opens}`)
  .join('\n')

const members = {
  id: text(64, { description: 'The token’s id. It is no secret.' }),
  name: name(100, {
    description: 'Who uses it. Unique among the tokens that are valid, but for a rotation.',
  }),
  roles: listOf(enumOf(operatorRoleNames), { description: `What it may do.\n\n${roles}` }),
  created_at: time({ description: 'When it was made.' }),
  expires_at: nullable(time({ description: 'When it ends by itself; null for never.' })),
  revoked_at: nullable(time({ description: 'When it was revoked; null while it is not.' })),
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
  summary: 'Make a named token',
  description:
    'A token for one service of the game’s, with the roles that it needs. Several may be valid at once. The token that Chancery is configured with is named `main`, has the role `admin`, and is not among these.',
  body: {
    schema: strictObject({
      name: patternString(
        '^[A-Za-z0-9](?:[A-Za-z0-9._ -]{0,98}[A-Za-z0-9._-])?$',
        'must be a name of 1 to 100 letters (A to Z), digits, spaces and . _ - that begins with a letter or digit and does not end with a space',
        { description: 'Who will use it: letters, digits, spaces and . _ - (at most 100).' },
      ),
      roles: Type.Array(enumOf(operatorRoleNames), {
        minItems: 1,
        maxItems: operatorRoleNames.length,
        uniqueItems: true,
        description: `What it may do.\n\n${roles}`,
      }),
      expires_at: expiry('When it ends by itself. Default: never (null).'),
    }),
    examples: {
      Token: { name: 'game-server', roles: ['facts', 'identity'] },
      Ending: { name: 'prometheus', roles: ['metrics'], expires_at: '2027-01-01T00:00:00Z' },
    },
  },
  responses: { 201: jsonResponse('The token. Its text is shown this once.', newToken, newExample) },
  errors: ['conflict'],
})

export const tokensList = operatorOperation({
  id: 'tokens.list',
  method: 'GET',
  path: '/tokens',
  tag: 'Tokens',
  roles: [],
  summary: 'List named tokens',
  description: `Named tokens, the oldest first; those that were revoked or have expired stay in the list for ${limits.endedTokenDays} days.`,
  responses: { 200: listResponse('The tokens.', operatorTokenSchema, example) },
})

export const tokensRotate = operatorOperation({
  id: 'tokens.rotate',
  method: 'POST',
  path: '/tokens/{id}/rotate',
  tag: 'Tokens',
  roles: [],
  summary: 'Replace a token',
  description:
    'Makes a new token of the same name and roles, with an id of its own. The old one goes on for the overlap, so that whoever uses it can change over without a break, and then ends.',
  pathParameter,
  body: {
    schema: strictObject({
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.tokenOverlapHoursMax,
          description: `For how many hours the old one goes on. Default ${limits.tokenOverlapHours}; 0 ends it at once.`,
        }),
      ),
      expires_at: expiry(
        'When the new one ends by itself; null for never. Default: after as long a time as the old one was made for.',
      ),
    }),
    examples: { Rotate: {}, 'At once': { overlap_hours: 0 } },
    isOptional: true,
  },
  responses: {
    201: jsonResponse('The new token. Its text is shown this once.', newToken, {
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
    'Ends a token, everywhere within a second, and streams of facts that were opened with it. Revoking it again changes nothing.',
  pathParameter,
  responses: {
    200: jsonResponse('The token.', operatorTokenSchema, { ...example, revoked_at: '2026-05-27T18:00:00Z' }),
  },
  errors: ['not_found'],
})
