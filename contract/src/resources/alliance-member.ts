import Type from 'typebox'
import { adminOnly, derived, open, resource } from '../classification.ts'
import { wordAt } from '../example-words.ts'
import type { Profile } from '../profile.ts'
import { decimal, id, line, name, nullable, time, wordOf } from '../shapes.ts'
import { nationStatuses } from './nation.ts'

export function allianceMemberResource(profile: Profile) {
  return resource(
    'alliance_member',
    'A nation’s membership in an alliance. A nation is in one alliance at most.',
    {
      nation_id: open(id(), { description: 'The nation.', example: 'n42' }),
      nation_name: derived(open(name(100), { description: 'The nation’s name.', example: 'Valdoria' })),
      leader_name: derived(
        open(line(100), {
          description: 'The nation’s leader; empty where the game knows none.',
          example: 'Mira Castellane',
        }),
      ),
      national_score: derived(
        open(decimal(), {
          description: 'The nation’s strength as the game publishes it.',
          unit: 'points',
          example: 1843.25,
        }),
      ),
      status: derived(
        open(Type.Unsafe<(typeof nationStatuses)[number]>({ type: 'string', enum: [...nationStatuses] }), {
          description: 'The nation’s status.',
          example: 'active',
        }),
      ),
      rank: open(wordOf(profile.ranks), {
        description: 'Key of the rank, as in the game profile.',
        example: wordAt(profile.ranks, 1),
        default: profile.ranks.at(-1)?.key,
      }),
      rank_title: derived(
        open(line(100), {
          description: 'The game’s word for the rank.',
          example: (profile.ranks[1] ?? profile.ranks[0])?.label ?? '',
        }),
      ),
      joined_at: open(nullable(time()), {
        description: 'When the nation joined.',
        example: '2026-03-09T20:15:00Z',
      }),
      can_view_treasury: adminOnly(nullable(Type.Boolean()), {
        description: 'Whether the game lets this member see the treasury; null leaves it to the rank’s tier.',
        example: null,
      }),
    },
    {
      alliance_id: open(id(), {
        description:
          'The alliance that the nation is a member of. Readers find it in the nation’s `alliance`.',
        example: 'a7',
      }),
    },
  )
}
