import Type from 'typebox'
import { open, resource } from '../classification.ts'
import { wordAt } from '../example-words.ts'
import type { Profile } from '../profile.ts'
import { id, nullable, time, wordOf } from '../shapes.ts'

export function treatyResource(profile: Profile) {
  return resource(
    'treaty',
    'A treaty between two alliances. It leaves in the `treaties` of both; deleting it ends it.',
    {
      id: open(id(), { description: 'Identifier that the game chose.', example: 't5' }),
      alliance_ids: open(Type.Array(id(), { minItems: 2, maxItems: 2 }), {
        description: 'The two alliances.',
        example: ['a3', 'a7'],
      }),
      type: open(wordOf(profile.treaty_types), {
        description: 'Key of the kind of treaty, as in the game profile.',
        example: wordAt(profile.treaty_types, 2),
      }),
      signed_at: open(nullable(time()), {
        description: 'When it was signed.',
        example: '2026-04-11T15:00:00Z',
      }),
      expires_at: open(nullable(time()), {
        description: 'When it ends by itself; null for never or unknown.',
        example: null,
      }),
    },
  )
}
