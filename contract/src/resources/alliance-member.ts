import Type from 'typebox'
import { adminOnly, derivedField, publicField, resource } from '../classification.ts'
import { exampleKey } from '../profile/examples.ts'
import { nationStatuses, type Profile } from '../profile/profile.ts'
import { id, line, name, nullable, profileEnum, score, time } from '../shared-schemas.ts'

export function allianceMemberResource(profile: Profile) {
  return resource(
    'alliance_member',
    'A nation’s membership in an alliance. A nation is in one alliance at most.',
    {
      nation_id: publicField(id(), { description: 'The nation.', example: 'n42' }),
      alliance_id: publicField(id(), {
        description: 'The alliance that the nation is a member of.',
        example: 'a7',
      }),
      nation_name: derivedField(
        publicField(name(100), { description: 'The nation’s name.', example: 'Valdoria' }),
      ),
      leader_name: derivedField(
        publicField(line(100), {
          description: 'The nation’s leader; empty if unknown to the game.',
          example: 'Mira Castellane',
        }),
      ),
      national_score: derivedField(
        publicField(score(), {
          description: 'The nation’s strength as the game publishes it.',
          unit: 'points',
          example: 1843.25,
        }),
      ),
      status: derivedField(
        publicField(
          Type.Unsafe<(typeof nationStatuses)[number]>({ type: 'string', enum: [...nationStatuses] }),
          {
            description: 'The nation’s status.',
            example: 'active',
          },
        ),
      ),
      rank: publicField(profileEnum(profile.ranks), {
        description: 'Key of the rank, as in the game profile.',
        example: exampleKey(profile.ranks, 1),
        default: profile.ranks.at(-1)?.key,
      }),
      rank_title: derivedField(
        publicField(line(100), {
          description: 'The game’s label of the rank.',
          example: (profile.ranks[1] ?? profile.ranks[0])?.label ?? '',
        }),
      ),
      joined_at: publicField(nullable(time()), {
        description: 'When the nation joined.',
        example: '2026-03-09T20:15:00Z',
      }),
      can_view_treasury: adminOnly(nullable(Type.Boolean()), {
        description: 'Whether the game lets this member see the treasury; null: the rank’s tier decides.',
        example: null,
      }),
    },
  )
}

export function allianceApplicationResource() {
  return resource(
    'alliance_application',
    'A nation’s application to join an alliance. It is not membership, and the API never returns it.',
    {
      nation_id: adminOnly(id(), { description: 'The nation that applies.', example: 'n77' }),
      alliance_id: adminOnly(id(), { description: 'The alliance that it applies to.', example: 'a7' }),
      applied_at: adminOnly(nullable(time()), {
        description: 'When it applied.',
        example: '2026-05-26T11:00:00Z',
      }),
    },
  )
}
