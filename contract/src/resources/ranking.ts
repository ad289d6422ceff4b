import Type from 'typebox'
import { publicField, resource } from '../classification.ts'
import type { Profile } from '../profile/profile.ts'
import {
  count,
  id,
  name,
  nullable,
  position,
  score,
  scoreSum,
  strictObject,
  text,
} from '../shared-schemas.ts'
import { membership, membershipExample } from './references.ts'

const places = (score: string) => ({
  rank: publicField(position(), {
    description: 'Place in the latest ranking round; equal scores share a place.',
    example: 17,
  }),
  previous_rank: publicField(nullable(position()), {
    description: 'Place at the end of yesterday (UTC); null if it had none.',
    example: 19,
  }),
  value: publicField(Type.Number(), {
    description: `The number that determines the place: ${score}, or the attribute of the request.`,
    example: 1843.25,
  }),
})

export const nationRankingResource = (profile: Profile) =>
  resource('nation_ranking', 'A nation’s place among nations.', {
    ...places('national_score'),
    nation: publicField(
      strictObject({
        id: id({ description: 'The nation.' }),
        nation_name: name(100, { description: 'Its name.' }),
        leader_name: text(100, { description: 'Its leader.' }),
        alliance: membership(),
      }),
      {
        description: 'The nation.',
        example: {
          id: 'n42',
          nation_name: 'Valdoria',
          leader_name: 'Mira Castellane',
          alliance: membershipExample(profile),
        },
      },
    ),
    national_score: publicField(score(), {
      description: 'The score in the latest ranking round.',
      unit: 'points',
      example: 1843.25,
    }),
  })

export const allianceRankingResource = () =>
  resource('alliance_ranking', 'An alliance’s place among alliances.', {
    ...places('total_score'),
    alliance: publicField(
      strictObject({
        id: id({ description: 'The alliance.' }),
        name: name(100, { description: 'Its name.' }),
        tag: text(20, { description: 'Its short tag.' }),
      }),
      { description: 'The alliance.', example: { id: 'a7', name: 'Northern Pact', tag: 'NP' } },
    ),
    total_score: publicField(scoreSum(), {
      description: 'The score in the latest ranking round.',
      unit: 'points',
      example: 48210.5,
    }),
    member_count: publicField(count(), { description: 'Number of members.', unit: 'nations', example: 31 }),
  })
