import { type Attribute, demoProfile, type Profile } from '@chancery/contract'
import fc from 'fast-check'

/** Keys that are also names elsewhere: of private sections, of columns, of scopes. */
const keys = fc.constantFrom(
  'military',
  'treasury',
  'credits',
  'player',
  'id',
  'nation_id',
  'mood',
  'secret_plan',
)

const typeOf = fc.constantFrom<Attribute['type']>('string', 'integer', 'number', 'boolean', 'time')
const base = {
  key: keys,
  type: typeOf,
  description: fc.constant('An attribute.'),
  example: fc.constant(null),
}

function attributes(scopes: readonly Attribute['scope'][]): fc.Arbitrary<Attribute[]> {
  const open = fc.record({ ...base, class: fc.constantFrom('public' as const, 'admin_only' as const) })
  const closed = fc.record({
    ...base,
    class: fc.constantFrom('player_private' as const, 'alliance_private' as const),
    scope: fc.constantFrom(...scopes.filter(scope => scope !== undefined)),
  })
  return fc.uniqueArray(fc.oneof(open, closed), { selector: ({ key }) => key, minLength: 3, maxLength: 8 })
}

/** Games with other words and other attributes, of every class and scope. */
export const profiles: fc.Arbitrary<Profile> = fc
  .record({
    nation: attributes(['nation.read', 'military.read', 'economy.read', 'production.read', 'alliance.read']),
    alliance: attributes(['treasury.read']),
    word: fc.constantFrom('', 'star_', 'constructor_'),
    page: fc.constantFrom(null, 'https://game.example/{id}'),
  })
  .map(({ nation, alliance, word, page }) => {
    const other = <W extends { key: string }>(list: W[]) =>
      list.map(entry => ({ ...entry, key: word + entry.key }))
    return {
      ...demoProfile,
      units: other(demoProfile.units),
      resources: other(demoProfile.resources),
      ranks: other(demoProfile.ranks),
      governments: word === '' ? [] : other(demoProfile.governments),
      pages: { nation: page, alliance: page, war: page },
      attributes: { nation, alliance },
    }
  })
