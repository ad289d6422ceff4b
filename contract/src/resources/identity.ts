import Type from 'typebox'
import { publicField, resource } from '../classification.ts'
import type { Profile } from '../profile/profile.ts'
import { scopeNames } from '../scopes.ts'
import {
  count,
  enumOf,
  id,
  listOf,
  name,
  nullable,
  score,
  strictObject,
  text,
  time,
} from '../shared-schemas.ts'
import { membership, membershipExample } from './references.ts'

/** What a key may read about itself. `public` here means that no further scope is required. */
export const keyResource = () =>
  resource('key', 'The API key of this request.', {
    id: publicField(text(64), {
      description: 'Identifier of the key. Not secret.',
      example: 'key_8Zc3fW0aQ1',
    }),
    name: publicField(text(100), { description: 'The name its owner gave it.', example: 'war-room bot' }),
    nation: publicField(
      nullable(
        strictObject({
          id: id({ description: 'The nation.' }),
          nation_name: name(100, { description: 'Its name.' }),
        }),
      ),
      {
        description: 'The nation that the key’s player leads at present; null for none.',
        example: { id: 'n42', nation_name: 'Valdoria' },
      },
    ),
    scopes: publicField(listOf(enumOf(scopeNames)), {
      description: 'What the key may read.',
      example: ['nation.read', 'military.read'],
    }),
    limit: publicField(count(), {
      description: 'Calls that the key may make per window of 60 seconds.',
      unit: 'calls',
      example: 120,
    }),
    remaining: publicField(count(), {
      description: 'Calls left in this window, after this one.',
      unit: 'calls',
      example: 119,
    }),
    created_at: publicField(time(), { description: 'When it was created.', example: '2026-05-01T12:00:00Z' }),
    expires_at: publicField(nullable(time()), {
      description: 'When it expires; null for never.',
      example: null,
    }),
    last_used_at: publicField(nullable(time()), {
      description: 'When it was last used, to within a minute; null before its first recorded use.',
      example: '2026-05-27T18:03:00Z',
    }),
  })

/** What a bot learns by redeeming a code: public fields of the nation that the code's sender leads. */
export const verifiedIdentityResource = (profile: Profile) =>
  resource('verified_identity', 'The nation that a verification code belongs to.', {
    verified: publicField(Type.Unsafe<true>({ type: 'boolean', enum: [true] }), {
      description: 'Always true: failures are errors.',
      example: true,
    }),
    nation: publicField(
      strictObject({
        id: id({ description: 'The nation.' }),
        nation_name: name(100, { description: 'Its name.' }),
        leader_name: text(100, { description: 'Its leader.' }),
        national_score: score({ description: 'Its strength as the game publishes it.' }),
      }),
      {
        description: 'The nation.',
        example: {
          id: 'n42',
          nation_name: 'Valdoria',
          leader_name: 'Mira Castellane',
          national_score: 1843.25,
        },
      },
    ),
    alliance: publicField(membership(), {
      description: 'Its alliance and its rank there; null for none. Applicants have none.',
      example: membershipExample(profile),
    }),
  })
