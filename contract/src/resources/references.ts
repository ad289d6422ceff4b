import { exampleKey } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { enumOf, id, name, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { copyOf } from '../text-origin.ts'

/** Membership in an alliance, as every resource returns it. `null`: no membership; an application is none. */
export const membership = () =>
  nullable(
    strictObject(
      {
        alliance_id: id({ description: 'The alliance.' }),
        rank: text(64, { description: 'Key of the nation’s rank in the alliance, as in the game profile.' }),
        alliances: strictObject(
          {
            name: name(100, { description: 'The alliance’s name.' }),
            tag: text(20, { description: 'The alliance’s short tag.' }),
          },
          { description: 'The alliance’s name and tag.' },
        ),
      },
      { description: 'The nation’s alliance and its rank there; null for a nation without one.' },
    ),
  )

export const membershipExample = ({ ranks }: Profile) => ({
  alliance_id: 'a7',
  rank: exampleKey(ranks, 1),
  alliances: { name: 'Northern Pact', tag: 'NP' },
})

/** A nation in a war. `moment`: when it had this name and alliance. */
const nationInWar = (moment: string) => ({
  nation_id: id({ description: 'The nation.' }),
  nation_name: copyOf(
    'nation.nation_name',
    'nation_id',
    name(100, { description: `The nation’s name ${moment}.` }),
  ),
  alliance_id: nullable(id({ description: `Its alliance ${moment}.` })),
  alliance_name: copyOf(
    'alliance.name',
    'alliance_id',
    nullable(name(100, { description: `That alliance’s name ${moment}.` })),
  ),
})

/** One side of a war, with name and alliance at the declaration. */
export const belligerent = () => strictObject(nationInWar('at the declaration'))

export const sidesOfWar = ['attacker', 'defender'] as const

/** A nation that takes part in a war besides its two sides. */
export const participant = () =>
  strictObject({
    side: enumOf(sidesOfWar, { description: 'On whose side it takes part.' }),
    ...nationInWar('when it joined'),
    joined_at: nullable(time({ description: 'When it joined; null if unknown.' })),
    left_at: nullable(
      time({ description: 'When it left before the war ended; null if it did not, or if unknown.' }),
    ),
  })

export const belligerentExample = {
  nation_id: 'n42',
  nation_name: 'Valdoria',
  alliance_id: 'a7',
  alliance_name: 'Northern Pact',
}

export const nationReference = () =>
  strictObject({
    nation_id: id({ description: 'The nation.' }),
    nation_name: copyOf('nation.nation_name', 'nation_id', name(100, { description: 'Its name.' })),
  })

export const allianceReference = () =>
  strictObject({
    alliance_id: id({ description: 'The alliance.' }),
    name: copyOf('alliance.name', 'alliance_id', name(100, { description: 'Its name.' })),
    tag: copyOf('alliance.tag', 'alliance_id', text(20, { description: 'Its short tag.' })),
  })
