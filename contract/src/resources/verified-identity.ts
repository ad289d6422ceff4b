import Type from 'typebox'
import { open, resource } from '../classification.ts'
import type { Profile } from '../profile.ts'
import { decimal, id, name, shape, text } from '../shapes.ts'
import { membership, membershipExample } from './references.ts'

/** What a bot learns by redeeming a code: public fields, and that whoever gave the code holds the nation. */
export const verifiedIdentityResource = (profile: Profile) =>
  resource('verified_identity', 'The nation that a verification code belongs to.', {
    verified: open(Type.Unsafe<true>({ type: 'boolean', enum: [true] }), {
      description: 'Always true: failures are errors.',
      example: true,
    }),
    nation: open(
      shape({
        id: id({ description: 'The nation.' }),
        nation_name: name(100, { description: 'Its name.' }),
        leader_name: text(100, { description: 'Its leader.' }),
        national_score: decimal({ description: 'Its strength as the game publishes it.' }),
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
    alliance: open(membership(), {
      description: 'Its alliance and its rank there; null for none, also for an applicant.',
      example: membershipExample(profile),
    }),
  })
