import Type from 'typebox'
import { publicField, resource, withInputSchema } from '../classification.ts'
import { exampleKey } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { enumOf, id, listOf, nullable, profileEnum, time } from '../shared-schemas.ts'

export const treatyStatuses = ['active', 'ended'] as const

/** Two parties, or none: which lengths are valid depends on the other list, and is checked where facts are applied. */
const parties = () => listOf(id(), { maxItems: 2 })

export function treatyResource(profile: Profile) {
  const kind = profileEnum(profile.treaty_types)
  return resource('treaty', 'A treaty between two alliances, or between two nations.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 't5' }),
    status: publicField(enumOf(treatyStatuses), {
      description: 'active while it is in force.',
      example: 'active',
      default: 'active',
    }),
    alliance_ids: publicField(parties(), {
      description: 'The two alliances; empty if it is between nations.',
      example: ['a3', 'a7'],
      default: [],
    }),
    nation_ids: publicField(parties(), {
      description: 'The two nations; empty if it is between alliances.',
      example: [],
      default: [],
    }),
    type: publicField(kind, {
      description: 'Key of the first of its kinds, as in the game profile.',
      example: exampleKey(profile.treaty_types, 2),
    }),
    // Facts may leave it out: it follows from `type`.
    types: withInputSchema(
      publicField(listOf(kind, { maxItems: 20 }), {
        description: 'Keys of all its kinds. A fact has `type`, or `types`, or both.',
        example: [exampleKey(profile.treaty_types, 2)],
        default: [],
      }),
      Type.Array(kind, { minItems: 1, maxItems: 20 }),
    ),
    signed_at: publicField(nullable(time()), {
      description: 'When it was signed.',
      example: '2026-04-11T15:00:00Z',
    }),
    expires_at: publicField(nullable(time()), {
      description: 'When it expires; null for never or unknown.',
      example: null,
    }),
    ended_at: publicField(nullable(time()), {
      description: 'When it ended; null while it is in force or if unknown.',
      example: null,
    }),
  })
}
