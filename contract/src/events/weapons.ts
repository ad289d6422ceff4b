import type { Profile } from '../profile.ts'
import { annotate, id, name, nullable, shape, wordOf } from '../shapes.ts'
import { copyOf, ownText } from '../text-origin.ts'
import { sentKind } from './kind.ts'

/** The game sends the id alone. */
const nameOf = (idMember: string, whose: string) =>
  annotate(
    copyOf('nation.nation_name', idMember, name(100, { description: `${whose} name of that time.` })),
    { 'x-derived': true },
  )

const weaponEvent = (profile: Profile) =>
  shape({
    weapon: ownText(
      wordOf(
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

/** Strategic weapons: no state shows a launch, so the game tells of it. */
export function weaponKinds(profile: Profile) {
  const labelOf = (weapon: string) =>
    profile.units.find(({ key }) => key === weapon)?.label.toLowerCase() ?? weapon
  return {
    'strategic_weapon.launched': sentKind(
      'A nation launched a strategic weapon. What it has left is never told.',
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
