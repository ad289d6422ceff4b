import Type, { type TSchema } from 'typebox'
import type { Profile } from '../profile/profile.ts'
import { allianceReference, nationReference } from '../resources/references.ts'
import { id, listOf, name, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { copyOf, profileKey } from '../text-origin.ts'
import { allianceSubject, derivedKind, nationSubject } from './kind.ts'

export const nationKinds = () => ({
  'nation.founded': derivedKind(
    'A nation was founded.',
    strictObject({ nation: nationSubject() }),
    data => `${data.nation.nation_name} was founded.`,
  ),
  'nation.renamed': derivedKind(
    'A nation changed its name.',
    strictObject({
      nation: nationSubject(),
      old_name: copyOf(
        'nation.nation_name',
        'nation.nation_id',
        name(100, { description: 'Its name before.' }),
      ),
    }),
    data => `${data.old_name} is now called ${data.nation.nation_name}.`,
  ),
  'nation.deleted': derivedKind(
    'A nation was deleted.',
    strictObject({ nation: nationSubject() }),
    data => `${data.nation.nation_name} ceased to exist.`,
  ),
})

const membershipEvent = () => ({ nation: nationSubject(), alliance: allianceSubject() })

export function allianceKinds({ ranks }: Profile) {
  const labelOf = (rank: string) => ranks.find(({ key }) => key === rank)?.label ?? rank
  return {
    'alliance.founded': derivedKind(
      'An alliance was founded.',
      strictObject({ alliance: allianceSubject() }),
      data => `The alliance ${data.alliance.name} was founded.`,
    ),
    'alliance.renamed': derivedKind(
      'An alliance changed its name or tag.',
      strictObject({
        alliance: allianceSubject(),
        old_name: copyOf(
          'alliance.name',
          'alliance.alliance_id',
          name(100, { description: 'Its name before.' }),
        ),
        old_tag: copyOf('alliance.tag', 'alliance.alliance_id', text(20, { description: 'Its tag before.' })),
      }),
      data => `The alliance ${data.old_name} is now called ${data.alliance.name} [${data.alliance.tag}].`,
    ),
    'alliance.disbanded': derivedKind(
      'An alliance was disbanded.',
      strictObject({ alliance: allianceSubject() }),
      data => `The alliance ${data.alliance.name} was disbanded.`,
    ),
    'alliance.member_joined': derivedKind(
      'A nation became a member of an alliance.',
      strictObject({
        ...membershipEvent(),
        rank: profileKey('Key of the rank in which it joined, as in the game profile.'),
      }),
      data => `${data.nation.nation_name} joined ${data.alliance.name}.`,
    ),
    'alliance.member_left': derivedKind(
      'A nation is no longer a member of an alliance.',
      strictObject(membershipEvent()),
      data => `${data.nation.nation_name} left ${data.alliance.name}.`,
    ),
    'alliance.rank_changed': derivedKind(
      'A member’s rank in its alliance changed.',
      strictObject({
        ...membershipEvent(),
        old_rank: profileKey('Key of its rank before.'),
        rank: profileKey('Key of its rank now, as in the game profile.'),
      }),
      data => `${data.nation.nation_name} is now ${labelOf(data.rank)} in ${data.alliance.name}.`,
    ),
  }
}

/** `parties`: the member with the two parties. */
const treatyEvent = <P extends Record<string, TSchema>>(parties: P) =>
  strictObject({
    treaty_id: id({ description: 'The treaty.' }),
    type: profileKey('Key of the first of its kinds, as in the game profile.'),
    types: listOf(profileKey('Key of a kind of treaty.'), { description: 'Keys of all its kinds.' }),
    ...parties,
    signed_at: nullable(time({ description: 'When it was signed.' })),
    expires_at: nullable(time({ description: 'When it expires; null for never or unknown.' })),
  })

const betweenAlliances = () =>
  treatyEvent({
    alliances: Type.Array(allianceReference(), {
      minItems: 2,
      maxItems: 2,
      description: 'The two alliances.',
    }),
  })

const betweenNations = () =>
  treatyEvent({
    nations: Type.Array(nationReference(), { minItems: 2, maxItems: 2, description: 'The two nations.' }),
  })

const namesOfAlliances = (alliances: { name: string }[]) => alliances.map(({ name }) => name).join(' and ')
const namesOfNations = (nations: { nation_name: string }[]) =>
  nations.map(({ nation_name }) => nation_name).join(' and ')

export const treatyKinds = () => ({
  'treaty.signed': derivedKind(
    'Two alliances signed a treaty.',
    betweenAlliances(),
    data => `${namesOfAlliances(data.alliances)} signed a treaty.`,
  ),
  'treaty.ended': derivedKind(
    'A treaty of two alliances ended.',
    betweenAlliances(),
    data => `A treaty of ${namesOfAlliances(data.alliances)} ended.`,
  ),
  'treaty.signed_between_nations': derivedKind(
    'Two nations signed a treaty.',
    betweenNations(),
    data => `${namesOfNations(data.nations)} signed a treaty.`,
  ),
  'treaty.ended_between_nations': derivedKind(
    'A treaty of two nations ended.',
    betweenNations(),
    data => `A treaty of ${namesOfNations(data.nations)} ended.`,
  ),
})
