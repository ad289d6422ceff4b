import Type from 'typebox'
import { derivedField, publicField, resource, withInputSchema } from '../classification.ts'
import { exampleCounts, exampleKeyOrNull } from '../profile/examples.ts'
import { type Profile, warOutcomes } from '../profile/profile.ts'
import {
  count,
  countsByKey,
  decimal,
  enumOf,
  id,
  listOf,
  name,
  nullable,
  ownEnum,
  profileEnum,
  strictObject,
  text,
  time,
} from '../shared-schemas.ts'
import { copyOf } from '../text-origin.ts'
import { belligerent, belligerentExample, participant, sidesOfWar } from './references.ts'

export const warStatuses = ['active', 'ended'] as const
/** What the attacker or defender of a war is. */
export const partiesOfWar = ['nation', 'alliance'] as const
export const battleStatuses = ['active', 'ended'] as const
export const battleVictors = ['attacker', 'defender', 'draw'] as const

const lossUnits = (profile: Profile) => profile.units.filter(unit => unit.shows_in_losses)

/** Losses of both sides, in the units whose losses are public. */
export const lossesOfBoth = (profile: Profile) =>
  strictObject({
    attacker: countsByKey(lossUnits(profile), { description: 'Losses of the attacker, by kind of unit.' }),
    defender: countsByKey(lossUnits(profile), { description: 'Losses of the defender, by kind of unit.' }),
  })

export const lossesOfSide = (profile: Profile) =>
  countsByKey(lossUnits(profile), { description: 'Losses, by kind of unit.' })

const lossesExample = (profile: Profile) => ({
  attacker: exampleCounts(lossUnits(profile), [0, 1200], [1, 31]),
  defender: exampleCounts(lossUnits(profile), [0, 2050], [1, 12]),
})

/** Names and alliance of a nation, which are taken from the world if omitted. A null alliance states that there was none. */
const suppliedNation = (moment: string, ifOmitted: string) => ({
  nation_name: Type.Optional(
    copyOf(
      'nation.nation_name',
      'nation_id',
      name(100, { description: `Its name ${moment}. If omitted: ${ifOmitted}.` }),
    ),
  ),
  alliance_id: Type.Optional(
    nullable(id({ description: `Its alliance ${moment}. If omitted: ${ifOmitted}.` })),
  ),
  alliance_name: Type.Optional(
    copyOf(
      'alliance.name',
      'alliance_id',
      nullable(name(100, { description: `That alliance’s name ${moment}. If omitted: ${ifOmitted}.` })),
    ),
  ),
})

const suppliedBelligerent = () =>
  Type.Object(
    {
      nation_id: id({
        description:
          'The nation. If a new war has alliance_id alone: the war is that of the alliance, and the nation is its leader, else the member who joined first.',
      }),
      ...suppliedNation('at the declaration', 'as it is when the war is declared'),
    },
    {
      additionalProperties: false,
      description:
        'The nation, with name and alliance at the declaration; omitted ones are taken from the world.',
    },
  )

const suppliedParticipants = () =>
  listOf(
    Type.Object(
      {
        side: enumOf(sidesOfWar),
        nation_id: id({ description: 'The nation.' }),
        ...suppliedNation('when it joined', 'as it is when the participant is added'),
        joined_at: Type.Optional(nullable(time())),
        left_at: Type.Optional(nullable(time())),
      },
      { additionalProperties: false },
    ),
    { maxItems: 200 },
  )

export function warResource(profile: Profile) {
  return resource('war', 'A war of two nations or alliances, and of others that joined it.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 'w310' }),
    type: publicField(nullable(profileEnum(profile.war_types)), {
      description: 'Key of the kind of war, as in the game profile.',
      example: exampleKeyOrNull(profile.war_types, 0),
    }),
    status: publicField(enumOf(warStatuses), {
      description: 'active until it has ended.',
      example: 'active',
      default: 'active',
    }),
    reason: publicField(nullable(text(500)), {
      description: 'The attacker’s reason for declaring it.',
      example: 'The strait belongs to Valdoria.',
    }),
    attacker: withInputSchema(
      publicField(belligerent(), {
        description:
          'The nation that declared the war, with name and alliance at the declaration. If attacker_type is alliance: that alliance declared it, and the nation leads it.',
        example: belligerentExample,
      }),
      suppliedBelligerent(),
    ),
    defender: withInputSchema(
      publicField(belligerent(), {
        description:
          'The nation it was declared on, with name and alliance at the declaration. If defender_type is alliance: it was declared on that alliance, and the nation leads it.',
        example: { nation_id: 'n9', nation_name: 'Karsk', alliance_id: null, alliance_name: null },
      }),
      suppliedBelligerent(),
    ),
    attacker_type: publicField(enumOf(partiesOfWar), {
      description: 'alliance if the war was declared by an alliance as a whole.',
      example: 'nation',
      default: 'nation',
    }),
    defender_type: publicField(enumOf(partiesOfWar), {
      description: 'alliance if the war was declared on an alliance as a whole.',
      example: 'nation',
      default: 'nation',
    }),
    is_mutual: publicField(Type.Boolean(), {
      description:
        'Whether neither side attacked. The attacker is then only the first of the two parties, and the defender the second.',
      example: false,
      default: false,
    }),
    participants: withInputSchema(
      publicField(listOf(participant()), {
        description:
          'Other nations that take part or took part, with name and alliance when they joined. The list replaces the previous one as a whole. A nation that returns is in it once for each time.',
        example: [
          {
            side: 'defender',
            nation_id: 'n7',
            nation_name: 'Ostmark',
            alliance_id: 'a3',
            alliance_name: 'Southern League',
            joined_at: '2026-05-21T08:00:00Z',
            left_at: null,
          },
        ],
        default: [],
      }),
      suppliedParticipants(),
    ),
    declared_at: publicField(time(), {
      description: 'When it was declared.',
      example: '2026-05-20T10:00:00Z',
    }),
    ended_at: publicField(nullable(time()), {
      description: 'When it ended; null while it is active or if unknown.',
      example: null,
    }),
    outcome: publicField(nullable(enumOf(warOutcomes)), {
      description: 'How it ended; null while it is active or if unknown.',
      example: null,
    }),
    game_outcome: publicField(nullable(ownEnum(profile.war_outcomes)), {
      description:
        'Key of the game’s own outcome, as in the game profile, which maps it to `outcome`; null for none.',
      example: null,
    }),
    battles_count: derivedField(
      publicField(count(), { description: 'Number of battles fought in it.', unit: 'battles', example: 5 }),
    ),
    losses: derivedField(
      publicField(lossesOfBoth(profile), {
        description: 'Losses in all its battles.',
        unit: 'units',
        example: lossesExample(profile),
      }),
    ),
    conflict_id: publicField(nullable(id()), {
      description: 'The global conflict that it is part of.',
      example: 'c4',
    }),
    follows_war_id: publicField(nullable(id()), {
      description: 'The earlier war that it continues.',
      example: null,
    }),
    era_id: publicField(nullable(id()), { description: 'The era in which it was declared.', example: 'e2' }),
    url: derivedField(
      publicField(nullable(text(1000)), {
        description: 'The war’s page in the game; null if the game has none.',
        example: null,
      }),
    ),
    updated_at: derivedField(
      publicField(time(), {
        description: 'When one of its own public fields last changed. Battles do not affect it.',
        example: '2026-05-20T10:00:00Z',
      }),
    ),
  })
}

const helpers = () => listOf(id(), { maxItems: 50 })

const allianceOfBattle = (side: 'attacker' | 'defender', example: string | null) =>
  publicField(nullable(id()), {
    description: `The ${side}’s alliance at the battle; null for none. If a fact omits it: that of the war’s side, else the present one.`,
    example,
  })

export function battleResource(profile: Profile) {
  return resource('battle', 'A battle, of a war or without one.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 'b9001' }),
    war_id: publicField(nullable(id()), {
      description: 'The war it was fought in; null if none was declared.',
      example: 'w310',
    }),
    kind: publicField(nullable(profileEnum(profile.battle_kinds)), {
      description: 'Key of the kind of battle, as in the game profile.',
      example: exampleKeyOrNull(profile.battle_kinds, 0),
    }),
    status: publicField(enumOf(battleStatuses), {
      description: 'active while it lasts.',
      example: 'ended',
      default: 'ended',
    }),
    fought_at: publicField(time(), {
      description: 'When it was fought; of a battle that lasts, when it began.',
      example: '2026-05-21T03:12:00Z',
    }),
    started_at: publicField(nullable(time()), {
      description: 'When it began; null if it does not last or if unknown.',
      example: null,
    }),
    ended_at: publicField(nullable(time()), {
      description: 'When it ended; null while it lasts, if it does not last or if unknown.',
      example: null,
    }),
    attacker_nation_id: publicField(id(), {
      description: 'The nation that attacked in this battle.',
      example: 'n42',
    }),
    defender_nation_id: publicField(id(), {
      description: 'The nation that defended in this battle.',
      example: 'n9',
    }),
    attacker_alliance_id: allianceOfBattle('attacker', 'a7'),
    defender_alliance_id: allianceOfBattle('defender', null),
    attacker_helper_nation_ids: publicField(helpers(), {
      description: 'Nations that helped the attacker in this battle.',
      example: ['n3'],
      default: [],
    }),
    defender_helper_nation_ids: publicField(helpers(), {
      description: 'Nations that helped the defender in this battle.',
      example: [],
      default: [],
    }),
    victor: publicField(nullable(enumOf(battleVictors)), {
      description: 'Who won: this battle’s attacker or defender, or a draw; null if unknown.',
      example: 'attacker',
    }),
    losses: publicField(lossesOfBoth(profile), {
      description:
        'Losses of this battle’s attacker and defender, of units whose losses the game makes public; never of strategic weapons.',
      unit: 'units',
      example: lossesExample(profile),
      default: { attacker: {}, defender: {} },
    }),
    infrastructure_destroyed: publicField(nullable(decimal()), {
      description: 'Infrastructure of the defender that was destroyed.',
      unit: 'points',
      example: 84.5,
    }),
  })
}
