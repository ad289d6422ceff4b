import type { Profile } from '../profile/profile.ts'
import { nationReference } from '../resources/references.ts'
import { battleVictors, lossesOfBoth, warOutcomes } from '../resources/war.ts'
import {
  annotate,
  decimal,
  enumOf,
  id,
  name,
  nullable,
  profileEnum,
  strictObject,
  text,
} from '../shared-schemas.ts'
import { copyOf, profileKey, systemText } from '../text-origin.ts'
import { attacker, defender, derivedKind, sentKind, warType, withDescription } from './kind.ts'

const outcomeSentences = {
  attacker_victory: 'with the attacker’s victory',
  defender_victory: 'with the defender’s victory',
  peace: 'in peace',
  stalemate: 'in stalemate',
}

export const warKinds = (profile: Profile) => ({
  'war.declared': derivedKind(
    'A nation declared war on another.',
    strictObject({
      war: strictObject(
        {
          war_id: id({ description: 'The war.' }),
          type: warType(),
          reason: copyOf(
            'war.reason',
            'war_id',
            nullable(text(500, { description: 'The attacker’s reason for declaring it.' })),
          ),
        },
        { description: 'The war.' },
      ),
      attacker: attacker(),
      defender: defender(),
    }),
    data => `${data.attacker.nation_name} declared war on ${data.defender.nation_name}.`,
  ),
  'war.ended': derivedKind(
    'A war ended.',
    strictObject({
      war: strictObject(
        { war_id: id({ description: 'The war.' }), type: warType() },
        { description: 'The war.' },
      ),
      outcome: nullable(enumOf(warOutcomes, { description: 'How it ended; null if unknown.' })),
      attacker: attacker(),
      defender: defender(),
    }),
    data =>
      `The war of ${data.attacker.nation_name} on ${data.defender.nation_name} ended${data.outcome ? ` ${outcomeSentences[data.outcome]}` : ''}.`,
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

const battleSides = () => ({
  kind: nullable(profileKey('Key of the kind of battle, as in the game profile.')),
  attacker: withDescription(nationReference(), 'The nation that attacked in this battle.'),
  defender: withDescription(nationReference(), 'The nation that defended in this battle.'),
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
