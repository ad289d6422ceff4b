import type { Profile } from '../profile.ts'
import { nationReference } from '../resources/references.ts'
import { battleVictors, lossesOfBoth, warOutcomes } from '../resources/war.ts'
import { decimal, id, nullable, oneOf, shape, text } from '../shapes.ts'
import { copyOf, profileKey } from '../text-origin.ts'
import { derivedKind } from './kind.ts'
import { about, attacker, defender, typeOfWar } from './subjects.ts'

const outcomeSentences = {
  attacker_victory: 'with the attacker’s victory',
  defender_victory: 'with the defender’s victory',
  peace: 'in peace',
  stalemate: 'in stalemate',
}

export const warKinds = (profile: Profile) => ({
  'war.declared': derivedKind(
    'A nation declared war on another.',
    shape({
      war: shape(
        {
          war_id: id({ description: 'The war.' }),
          type: typeOfWar(),
          reason: copyOf(
            'war.reason',
            'war_id',
            nullable(text(500, { description: 'Why it was declared, in the attacker’s words.' })),
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
    shape({
      war: shape({ war_id: id({ description: 'The war.' }), type: typeOfWar() }, { description: 'The war.' }),
      outcome: nullable(oneOf(warOutcomes, { description: 'How it ended; null where unknown.' })),
      attacker: attacker(),
      defender: defender(),
    }),
    data =>
      `The war of ${data.attacker.nation_name} on ${data.defender.nation_name} ended${data.outcome ? ` ${outcomeSentences[data.outcome]}` : ''}.`,
  ),
  'battle.fought': derivedKind(
    'A battle was fought in a war.',
    shape({
      battle_id: id({ description: 'The battle.' }),
      war_id: id({ description: 'The war it was fought in.' }),
      kind: nullable(profileKey('Key of the kind of battle, as in the game profile.')),
      attacker: about(nationReference(), 'The nation that attacked in this battle.'),
      defender: about(nationReference(), 'The nation that defended in this battle.'),
      victor: nullable(
        oneOf(battleVictors, {
          description: 'Who won: this battle’s attacker or defender, or a draw; null where unknown.',
        }),
      ),
      losses: about(lossesOfBoth(profile), 'Losses of this battle’s attacker and defender.'),
      infrastructure_destroyed: nullable(
        decimal({ description: 'Infrastructure destroyed at the defender’s, in points.' }),
      ),
    }),
    data => {
      const sides = `${data.attacker.nation_name} and ${data.defender.nation_name}`
      if (data.victor === null) return `${sides} fought a battle.`
      if (data.victor === 'draw') return `${sides} fought a battle that neither won.`
      const [winner, loser] =
        data.victor === 'attacker' ? [data.attacker, data.defender] : [data.defender, data.attacker]
      return `${winner.nation_name} won a battle against ${loser.nation_name}.`
    },
  ),
})
