import type { Profile } from '../profile.ts'
import { id, nullable, shape, wordOf } from '../shapes.ts'
import { kind } from './kind.ts'

const weaponEvent = (profile: Profile) =>
  shape({
    weapon: wordOf(
      profile.units.filter(unit => unit.is_strategic),
      { description: 'Key of the weapon, as in the game profile.' },
    ),
    attacker_nation_id: id({ description: 'The nation that launched it.' }),
    defender_nation_id: id({ description: 'The nation it was aimed at.' }),
    war_id: nullable(id({ description: 'The war it belongs to.' })),
    battle_id: nullable(id({ description: 'The battle it belongs to.' })),
  })

/** Strategic weapons: no state shows a launch, so the game tells of it. */
export function weaponKinds(profile: Profile) {
  const labelOf = (weapon: string) =>
    profile.units.find(({ key }) => key === weapon)?.label.toLowerCase() ?? weapon
  return {
    'strategic_weapon.launched': kind(
      false,
      'A nation launched a strategic weapon. What it has left is never told.',
      weaponEvent(profile),
      ({ weapon, attacker_nation_id, defender_nation_id }, names) =>
        `${names.nation(attacker_nation_id)} launched a ${labelOf(weapon)} at ${names.nation(defender_nation_id)}.`,
    ),
    'strategic_weapon.intercepted': kind(
      false,
      'A nation intercepted a strategic weapon.',
      weaponEvent(profile),
      ({ weapon, attacker_nation_id, defender_nation_id }, names) =>
        `${names.nation(defender_nation_id)} intercepted a ${labelOf(weapon)} launched by ${names.nation(attacker_nation_id)}.`,
    ),
  }
}
