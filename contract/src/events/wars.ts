import Type, { type TSchema } from 'typebox'
import { type Profile, warOutcomes } from '../profile/profile.ts'
import { nationReference, participant } from '../resources/references.ts'
import { battleVictors, lossesOfBoth, partiesOfWar } from '../resources/war.ts'
import {
  annotate,
  decimal,
  enumOf,
  id,
  listOf,
  name,
  nullable,
  profileEnum,
  strictObject,
  text,
} from '../shared-schemas.ts'
import { copyOf, profileKey, systemText } from '../text-origin.ts'
import { attacker, defender, derivedKind, sentKind, warType, withDescription } from './kind.ts'

/** Members that are optional are missing in events that earlier versions logged. */
const warReference = <P extends Record<string, TSchema>>(more: P) =>
  strictObject(
    {
      war_id: id({ description: 'The war.' }),
      type: warType(),
      attacker_type: Type.Optional(
        enumOf(partiesOfWar, { description: 'alliance if an alliance as a whole declared it.' }),
      ),
      defender_type: Type.Optional(
        enumOf(partiesOfWar, { description: 'alliance if it was declared on an alliance as a whole.' }),
      ),
      is_mutual: Type.Optional(Type.Boolean({ description: 'Whether neither side attacked.' })),
      ...more,
    },
    { description: 'The war.' },
  )

interface WarBetween {
  war: {
    attacker_type?: (typeof partiesOfWar)[number]
    defender_type?: (typeof partiesOfWar)[number]
    is_mutual?: boolean
  }
  attacker: { nation_name: string; alliance_name: string | null }
  defender: { nation_name: string; alliance_name: string | null }
}

/** The names of the two parties: of an alliance at war its own, not that of the nation which leads it. */
const partiesOf = ({ war, attacker, defender }: WarBetween) => ({
  attacker: (war.attacker_type === 'alliance' && attacker.alliance_name) || attacker.nation_name,
  defender: (war.defender_type === 'alliance' && defender.alliance_name) || defender.nation_name,
})

const warOf = (data: WarBetween): string => {
  const { attacker, defender } = partiesOf(data)
  return data.war.is_mutual ? `war between ${attacker} and ${defender}` : `war of ${attacker} on ${defender}`
}

interface EndOfWar extends WarBetween {
  outcome: (typeof warOutcomes)[number] | null
  game_outcome?: string | null
}

/** ` in peace`, `: White peace`; empty if unknown. */
function outcomeText({ war_outcomes = [] }: Profile, data: EndOfWar): string {
  const own = war_outcomes.find(({ key }) => key === data.game_outcome)
  if (own) return `: ${own.label}`
  const { attacker, defender } = partiesOf(data)
  switch (data.outcome) {
    case 'attacker_victory':
      return data.war.is_mutual ? ` with the victory of ${attacker}` : ' with the attacker’s victory'
    case 'defender_victory':
      return data.war.is_mutual ? ` with the victory of ${defender}` : ' with the defender’s victory'
    case 'peace':
      return ' in peace'
    case 'stalemate':
      return ' in stalemate'
    default:
      return ''
  }
}

export const warKinds = (profile: Profile) => ({
  'war.declared': derivedKind(
    'A nation or alliance declared war on another, or two went to war.',
    strictObject({
      war: warReference({
        reason: copyOf(
          'war.reason',
          'war_id',
          nullable(text(500, { description: 'The attacker’s reason for declaring it.' })),
        ),
      }),
      attacker: attacker(),
      defender: defender(),
    }),
    data => {
      const { attacker, defender } = partiesOf(data)
      return data.war.is_mutual
        ? `${attacker} and ${defender} went to war.`
        : `${attacker} declared war on ${defender}.`
    },
  ),
  'war.ended': derivedKind(
    'A war ended.',
    strictObject({
      war: warReference({}),
      outcome: nullable(enumOf(warOutcomes, { description: 'How it ended; null if unknown.' })),
      game_outcome: Type.Optional(
        nullable(
          profileKey(
            'Key of the game’s own outcome, as in the game profile; null for none. Events that version 0.2 or earlier logged lack it.',
          ),
        ),
      ),
      attacker: attacker(),
      defender: defender(),
    }),
    data => `The ${warOf(data)} ended${outcomeText(profile, data)}.`,
  ),
  'war.joined': derivedKind(
    'A nation joined a war after its declaration, on one of its sides.',
    participation('The nation that joined.'),
    data =>
      `${data.participant.nation_name} joined the ${warOf(data)} on the side of ${partiesOf(data)[data.participant.side]}.`,
  ),
  'war.left': derivedKind(
    'A nation that had joined a war left it before its end.',
    participation('The nation that left.'),
    data => `${data.participant.nation_name} left the ${warOf(data)}.`,
  ),
  'battle.started': derivedKind(
    'A battle began that lasts.',
    strictObject({
      battle_id: id({ description: 'The battle.' }),
      war_id: nullable(id({ description: 'The war it is fought in; null if none was declared.' })),
      ...battleSides(),
    }),
    ({ attacker, defender }) => `${attacker.nation_name} attacked ${defender.nation_name}.`,
  ),
  'battle.fought': derivedKind(
    'A battle was fought in a war: one that lasts has ended.',
    strictObject({
      battle_id: id({ description: 'The battle.' }),
      war_id: id({ description: 'The war it was fought in.' }),
      ...battleMembers(profile),
    }),
    summaryOfBattle,
  ),
  'battle.fought_outside_war': derivedKind(
    'A battle was fought without a declared war: one that lasts has ended.',
    strictObject({ battle_id: id({ description: 'The battle.' }), ...battleMembers(profile) }),
    summaryOfBattle,
  ),
})

const helpersOf = (side: string) =>
  Type.Optional(
    listOf(nationReference(), { description: `Nations that helped the ${side}; absent if none did.` }),
  )

const participation = (who: string) =>
  strictObject({
    war: warReference({}),
    participant: withDescription(participant(), who),
    attacker: attacker(),
    defender: defender(),
  })

const battleSides = () => ({
  kind: nullable(profileKey('Key of the kind of battle, as in the game profile.')),
  attacker: withDescription(nationReference(), 'The nation that attacked in this battle.'),
  defender: withDescription(nationReference(), 'The nation that defended in this battle.'),
  attacker_helpers: helpersOf('attacker'),
  defender_helpers: helpersOf('defender'),
})

const battleMembers = (profile: Profile) => ({
  ...battleSides(),
  victor: nullable(
    enumOf(battleVictors, {
      description: 'Who won: this battle’s attacker or defender, or a draw; null if unknown.',
    }),
  ),
  losses: withDescription(lossesOfBoth(profile), 'Losses of this battle’s attacker and defender.'),
  infrastructure_destroyed: nullable(
    decimal({ description: 'Infrastructure of the defender that was destroyed, in points.' }),
  ),
})

interface FoughtBattle {
  attacker: { nation_name: string }
  defender: { nation_name: string }
  victor: (typeof battleVictors)[number] | null
}

function summaryOfBattle({ attacker, defender, victor }: FoughtBattle): string {
  const sides = `${attacker.nation_name} and ${defender.nation_name}`
  if (victor === null) return `${sides} fought a battle.`
  if (victor === 'draw') return `${sides} fought a battle that neither won.`
  const [winner, loser] = victor === 'attacker' ? [attacker, defender] : [defender, attacker]
  return `${winner.nation_name} won a battle against ${loser.nation_name}.`
}

/** Derived: the game sends the id alone. */
const nameOf = (idMember: string, whose: string) =>
  annotate(
    copyOf('nation.nation_name', idMember, name(100, { description: `${whose} name at that time.` })),
    { 'x-derived': true },
  )

const weaponEvent = (profile: Profile) =>
  strictObject({
    weapon: systemText(
      profileEnum(
        profile.units.filter(unit => unit.is_strategic),
        { description: 'Key of the weapon, as in the game profile.' },
      ),
    ),
    attacker_nation_id: id({ description: 'The nation that launched it.' }),
    attacker_nation_name: nameOf('attacker_nation_id', 'The attacker’s'),
    defender_nation_id: id({ description: 'The nation it was aimed at.' }),
    defender_nation_name: nameOf('defender_nation_id', 'The defender’s'),
    war_id: nullable(id({ description: 'The war it belongs to.' })),
    battle_id: nullable(id({ description: 'The battle it belongs to.' })),
  })

/** Strategic weapons: a launch changes no state, so the game sends the event. */
export function weaponKinds(profile: Profile) {
  const labelOf = (weapon: string) =>
    profile.units.find(({ key }) => key === weapon)?.label.toLowerCase() ?? weapon
  return {
    'strategic_weapon.launched': sentKind(
      'A nation launched a strategic weapon. Its remaining stock is never published.',
      weaponEvent(profile),
      ({ weapon, attacker_nation_name, defender_nation_name }) =>
        `${attacker_nation_name} launched a ${labelOf(weapon)} at ${defender_nation_name}.`,
    ),
    'strategic_weapon.intercepted': sentKind(
      'A nation intercepted a strategic weapon.',
      weaponEvent(profile),
      ({ weapon, attacker_nation_name, defender_nation_name }) =>
        `${defender_nation_name} intercepted a ${labelOf(weapon)} launched by ${attacker_nation_name}.`,
    ),
  }
}
