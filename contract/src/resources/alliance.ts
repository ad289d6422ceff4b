import Type from 'typebox'
import { adminOnly, alliancePrivate, derivedField, publicField, resource } from '../classification.ts'
import { exampleCounts, exampleKey } from '../profile/examples.ts'
import { attributesField, currencyOf, type Profile } from '../profile/profile.ts'
import {
  amount,
  color,
  count,
  countsByKey,
  id,
  imageUrl,
  line,
  listOf,
  name,
  nullable,
  position,
  scoreAverage,
  scoreSum,
  strictObject,
  text,
  time,
} from '../shared-schemas.ts'
import { systemText } from '../text-origin.ts'
import { nationReference } from './references.ts'

export function allianceResource(profile: Profile) {
  return resource('alliance', 'An alliance of nations.', {
    id: publicField(id(), {
      description: 'Identifier that the game chose. It never changes.',
      example: 'a7',
    }),
    name: publicField(name(100), { description: 'The alliance’s name.', example: 'Northern Pact' }),
    tag: publicField(line(20), { description: 'The alliance’s short tag.', example: 'NP', default: '' }),
    rank: derivedField(
      publicField(nullable(position()), {
        description:
          'Position by total_score in the latest ranking round; equal scores share a rank. Null before its first round.',
        example: 2,
      }),
    ),
    color: publicField(nullable(systemText(color())), {
      description: 'The alliance’s colour as #rrggbb.',
      example: '#1d3557',
    }),
    flag_url: publicField(nullable(imageUrl()), {
      description:
        'Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only.',
      example: 'https://game.example/flags/a7.png',
    }),
    description: publicField(nullable(text(5000)), {
      description: 'The alliance’s own description.',
      example: 'Mutual defence of the northern straits.',
    }),
    founded_at: publicField(nullable(time()), {
      description: 'When the alliance was founded.',
      example: '2026-03-04T12:00:00Z',
    }),
    leader: derivedField(
      publicField(nullable(nationReference()), {
        description:
          'The member with the highest rank of the tier leader; if there are several, the one that joined first. Null for none.',
        example: { nation_id: 'n9', nation_name: 'Karsk' },
      }),
    ),
    member_count: derivedField(
      publicField(count(), {
        description: 'Number of members. Applicants are not members.',
        unit: 'nations',
        example: 31,
      }),
    ),
    total_score: derivedField(
      publicField(scoreSum(), {
        description:
          'Sum of the members’ national_score. Beyond 15 digits it is rounded to the nearest IEEE double.',
        unit: 'points',
        example: 48210.5,
      }),
    ),
    average_score: derivedField(
      publicField(scoreAverage(), {
        description: 'total_score divided by member_count, rounded to 4 decimals; 0 without members.',
        unit: 'points',
        example: 1555.1774,
      }),
    ),
    recruiting: publicField(nullable(Type.Boolean()), {
      description: 'Whether it accepts new members; null if unknown.',
      example: true,
    }),
    treaties: derivedField(
      publicField(
        listOf(
          strictObject({
            alliance_id: id({ description: 'The other alliance.' }),
            name: name(100, { description: 'Its name.' }),
            type: line(64, { description: 'Key of the first of its kinds, as in the game profile.' }),
            types: listOf(line(64), { description: 'Keys of all its kinds.' }),
            signed_at: nullable(time({ description: 'When it was signed.' })),
            expires_at: nullable(time({ description: 'When it expires; null for never or unknown.' })),
          }),
        ),
        {
          description: 'Treaties in force with other alliances, by the other alliance’s id.',
          example: [
            {
              alliance_id: 'a3',
              name: 'Free Ports',
              type: exampleKey(profile.treaty_types, 2),
              types: [exampleKey(profile.treaty_types, 2)],
              signed_at: '2026-04-11T15:00:00Z',
              expires_at: null,
            },
          ],
        },
      ),
    ),
    wars: derivedField(
      publicField(
        strictObject({
          active: count({
            description: 'Active wars with a nation of this alliance, at the declaration, on either side.',
          }),
          won: count({ description: 'Ended wars won by such a nation.' }),
          lost: count({ description: 'Ended wars lost by such a nation.' }),
        }),
        {
          description: 'Counts of its nations’ wars.',
          unit: 'wars',
          example: { active: 4, won: 20, lost: 11 },
        },
      ),
    ),
    url: derivedField(
      publicField(nullable(text(1000)), {
        description: 'The alliance’s page in the game; null if the game has none.',
        example: null,
      }),
    ),
    updated_at: derivedField(
      publicField(time(), {
        description:
          'When one of its own public fields last changed. Ranks, counts and treaties do not affect it.',
        example: '2026-05-20T08:00:00Z',
      }),
    ),
    attributes: attributesField(profile.attributes.alliance),

    treasury: alliancePrivate(
      'treasury.read',
      nullable(
        strictObject({
          credits: nullable(amount(currencyOf(profile).decimals, { description: 'Money in the treasury.' })),
          resources: nullable(
            countsByKey(profile.resources, { description: 'Goods in the treasury, by kind.' }),
          ),
        }),
      ),
      {
        description: 'The treasury. Only with `include=treasury`. Null if the game does not send it.',
        unit: `${profile.currency.key}, units of goods`,
        example: { credits: 8200000, resources: exampleCounts(profile.resources, [5, 41000]) },
      },
    ),
    moderation_notes: adminOnly(nullable(text(10_000)), {
      description: 'Notes of the game’s moderators.',
      example: 'Name under review.',
    }),
  })
}
