import {
  adminOnly,
  alliancePrivate,
  derivedField,
  playerPrivate,
  publicField,
  resource,
} from '../classification.ts'
import { exampleCounts, exampleKey, exampleKeyOrNull } from '../profile/examples.ts'
import { attributesField, currencyOf, nationStatuses, type Profile } from '../profile/profile.ts'
import {
  amount,
  color,
  count,
  countsByKey,
  decimal,
  enumOf,
  id,
  imageUrl,
  line,
  listOf,
  name,
  nullable,
  ownEnum,
  position,
  profileEnum,
  score,
  strictObject,
  text,
  time,
} from '../shared-schemas.ts'
import { systemText } from '../text-origin.ts'
import { membership, membershipExample } from './references.ts'

export function nationResource(profile: Profile) {
  const fieldUnits = profile.units.filter(unit => !unit.is_strategic)
  const strategicUnits = profile.units.filter(unit => unit.is_strategic)
  return resource('nation', 'A nation, led by one player.', {
    id: publicField(id(), {
      description: 'Identifier that the game chose. It never changes.',
      example: 'n42',
    }),
    nation_name: publicField(name(100), { description: 'The nation’s name.', example: 'Valdoria' }),
    leader_name: publicField(line(100), {
      description: 'The leader’s name; empty if unknown to the game.',
      example: 'Mira Castellane',
      default: '',
    }),
    national_score: publicField(score(), {
      description:
        'Strength as the game publishes it. It may be negative. At most 4 decimals, and 15 digits in all.',
      unit: 'points',
      example: 1843.25,
      default: 0,
    }),
    rank: derivedField(
      publicField(nullable(position()), {
        description:
          'Position by national_score in the latest ranking round; equal scores share a rank. Null before its first round.',
        example: 17,
      }),
    ),
    status: publicField(enumOf(nationStatuses), {
      description: 'active; protected (cannot be attacked yet); vacation (its player is absent); inactive.',
      example: 'active',
      default: 'active',
    }),
    game_status: publicField(nullable(ownEnum(profile.nation_statuses)), {
      description:
        'Key of the game’s own status, as in the game profile, which maps it to `status`; null for none.',
      example: null,
    }),
    government: publicField(nullable(profileEnum(profile.governments)), {
      description: 'Key of the form of government, as in the game profile.',
      example: exampleKeyOrNull(profile.governments, 0),
    }),
    continent: publicField(nullable(profileEnum(profile.continents)), {
      description: 'Key of the continent, as in the game profile.',
      example: exampleKeyOrNull(profile.continents, 0),
    }),
    color: publicField(nullable(systemText(color())), {
      description: 'The nation’s colour as #rrggbb.',
      example: '#2f6fde',
    }),
    flag_url: publicField(nullable(imageUrl()), {
      description:
        'Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only.',
      example: 'https://game.example/flags/n42.png',
    }),
    motto: publicField(nullable(text(300)), {
      description: 'The nation’s motto, written by its player.',
      example: 'Through storm, homeward.',
    }),
    founded_at: publicField(nullable(time()), {
      description: 'When the nation was founded.',
      example: '2026-03-01T09:30:00Z',
    }),
    city_count: publicField(nullable(count()), {
      description: 'Number of cities.',
      unit: 'cities',
      example: 14,
    }),
    land_area: publicField(nullable(decimal()), {
      description: 'Land under its control.',
      unit: 'square kilometres',
      example: 24500,
    }),
    alliance: derivedField(
      publicField(membership(), {
        description:
          'The nation’s alliance and its rank there; null for none. An application is not membership.',
        example: membershipExample(profile),
      }),
    ),
    wars: derivedField(
      publicField(
        strictObject({
          active_offensive: count({ description: 'Active wars that it declared.' }),
          active_defensive: count({ description: 'Active wars declared on it.' }),
          won: count({ description: 'Ended wars that it won.' }),
          lost: count({ description: 'Ended wars that it lost.' }),
        }),
        {
          description:
            'Counts of the wars of which it is attacker or defender. Wars that it joined do not count.',
          unit: 'wars',
          example: { active_offensive: 1, active_defensive: 0, won: 6, lost: 2 },
        },
      ),
    ),
    url: derivedField(
      publicField(nullable(text(1000)), {
        description: 'The nation’s page in the game; null if the game has none.',
        example: null,
      }),
    ),
    updated_at: derivedField(
      publicField(time(), {
        description:
          'When one of its own public fields last changed. Ranks, war counts and its alliance’s name do not affect it.',
        example: '2026-05-27T18:04:11Z',
      }),
    ),
    attributes: attributesField(profile.attributes.nation),

    military: playerPrivate(
      'military.read',
      nullable(
        strictObject({
          units: nullable(countsByKey(fieldUnits, { description: 'Units in service, by kind.' })),
          reserves: nullable(countsByKey(fieldUnits, { description: 'Units in reserve, by kind.' })),
          readiness: nullable(decimal({ description: 'Readiness of the forces, from 0 to 100 percent.' })),
          strategic: nullable(
            countsByKey(strategicUnits, { description: 'Strategic weapons in stock, by kind.' }),
          ),
        }),
      ),
      {
        description: 'Exact forces. Null if the game does not send them.',
        unit: 'units',
        example: {
          units: exampleCounts(fieldUnits, [0, 42000], [1, 310]),
          reserves: exampleCounts(fieldUnits, [0, 8000]),
          readiness: 87.5,
          strategic: exampleCounts(strategicUnits, [1, 2]),
        },
      },
    ),
    economy: playerPrivate(
      'economy.read',
      nullable(
        strictObject({
          credits: nullable(amount(currencyOf(profile).decimals, { description: 'Money in stock.' })),
          resources: nullable(countsByKey(profile.resources, { description: 'Goods in stock, by kind.' })),
        }),
      ),
      {
        description: 'Money and goods in stock. Null if the game does not send them.',
        unit: `${profile.currency.key}, units of goods`,
        example: { credits: 1250000, resources: exampleCounts(profile.resources, [0, 52000], [5, 8100]) },
      },
    ),
    production: playerPrivate(
      'production.read',
      nullable(
        strictObject({
          queue: listOf(
            strictObject({
              item: line(100, { description: 'What is produced.' }),
              quantity: count({ description: 'How many.' }),
              completes_at: nullable(time({ description: 'When it is complete.' })),
            }),
            { maxItems: 1000, description: 'Orders in production, by completion, earliest first.' },
          ),
        }),
      ),
      {
        description: 'Production queues. Null if the game does not send them.',
        example: {
          queue: [{ item: exampleKey(profile.units, 1), quantity: 40, completes_at: '2026-05-28T06:00:00Z' }],
        },
      },
    ),
    assignments: alliancePrivate(
      'alliance.read',
      nullable(
        listOf(
          strictObject({
            alliance_id: id({ description: 'The alliance that made the assignment.' }),
            kind: line(64, { description: 'The kind of assignment: attack, defend, supply, and so on.' }),
            target_nation_id: nullable(id({ description: 'The nation it is about.' })),
            note: nullable(text(2000, { description: 'The officer’s note.' })),
            due_at: nullable(time({ description: 'When it is due.' })),
          }),
          { maxItems: 1000 },
        ),
      ),
      {
        description:
          'Its alliance’s assignments for this nation, while it is a member. Null if the game does not send it.',
        example: [
          {
            alliance_id: 'a7',
            kind: 'defend',
            target_nation_id: 'n9',
            note: 'Hold the strait.',
            due_at: '2026-06-01T00:00:00Z',
          },
        ],
      },
    ),
    player: adminOnly(nullable(id()), {
      description: 'The game’s id of the player who leads the nation now. Keys belong to players.',
      example: 'p1007',
    }),
    moderation_notes: adminOnly(nullable(text(10_000)), {
      description: 'Notes of the game’s moderators.',
      example: 'Warned for a motto.',
    }),
  })
}
