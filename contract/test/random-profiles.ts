import fc from 'fast-check'
import {
  type Attribute,
  demoProfile,
  nationStatuses,
  type Profile,
  profileProblems,
  scopeNames,
  valueTypes,
  warOutcomes,
} from '../src/index.ts'

/** Keys that are also names elsewhere: of fields, sections, scopes, of what every object has, and as long as may be. */
const oddKeys = [
  'id', 'key', 'value', 'type', 'military', 'treasury', 'credits', 'player', 'nation_id', 'attributes', 'data', 'null',
  'true', 'length', 'valueof', 'tostring', 'constructor_', 'proto__', 'secret_plan', 'a', 'a_', 'a__b', 'x'.repeat(64),
] // biome-ignore format: rows of keys read better than one a line
const keys = fc
  .oneof(
    { weight: 1, arbitrary: fc.constantFrom(...oddKeys) },
    { weight: 2, arbitrary: fc.stringMatching(/^[a-z][a-z0-9_]{0,15}$/) },
  )
  .filter(key => key !== 'constructor')

/** Labels that would break a page, a line, a template, a query or a column. */
const oddLabels = [
  '<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>', 'x'.repeat(100), '🏛'.repeat(50), '"\'\\', '$' + '{label}',
  '__proto__', '%s %', '{id}', '$ref', '#/components', "'; drop table x; --",
] // biome-ignore format: rows of labels read better than one a line
const labels = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...oddLabels) },
  { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).filter(label => label.trim() !== '') },
)
const descriptions = fc.oneof(
  labels,
  fc.constantFrom('', ' ', 'two\nlines', '\u202egnitirw'),
  fc.constant('Said of it. '.repeat(40)),
)

const lists = <T>(entry: fc.Arbitrary<T>, selector: (entry: T) => string, minLength = 0) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.uniqueArray(entry, { selector, minLength, maxLength: minLength + 5 }) },
    { weight: 1, arbitrary: fc.uniqueArray(entry, { selector, minLength: 20, maxLength: 40, size: 'max' }) },
  )
const word = fc.record({ key: keys, label: labels })
const words = lists(word, ({ key }) => key)
const mapped = <V extends string>(fixed: readonly V[]) =>
  lists(fc.record({ key: keys, label: labels, is: fc.constantFrom(...fixed) }), ({ key }) => key)

const units = lists(
  fc.record({ key: keys, label: labels, kind: fc.constantFrom('field', 'covert', 'strategic') }),
  ({ key }) => key,
).map(list =>
  list.map(({ key, label, kind }) => ({
    key,
    label,
    is_strategic: kind === 'strategic',
    shows_in_losses: kind === 'field',
  })),
)

const examples: Record<Attribute['type'], unknown[]> = {
  string: ['', 'Port Verity', 'y'.repeat(2000)],
  integer: [0, -7, 2 ** 53 - 1],
  number: [0, 1.25, -999],
  boolean: [true, false],
  time: ['2026-05-27T18:04:11Z'],
  strings: [[], ['Port Verity', 'y'.repeat(100)]],
  ids: [[], ['n42', 'x'.repeat(64)]],
}

function attributes(scopes: readonly Attribute['scope'][]): fc.Arbitrary<Attribute[]> {
  const base = { key: keys, type: fc.constantFrom(...valueTypes), description: descriptions }
  const open = fc.record({ ...base, class: fc.constantFrom('public' as const, 'admin_only' as const) })
  const closed = fc.record({
    ...base,
    class: fc.constantFrom('player_private' as const, 'alliance_private' as const),
    scope: fc.constantFrom(...scopes.filter(scope => scope !== undefined)),
  })
  const attribute = fc.oneof(open, closed).chain(made =>
    fc
      .record({
        example: fc.constantFrom(null, ...examples[made.type]),
        ranked: fc.boolean(),
        unit: fc.option(fc.constantFrom('points', 'percent', '<b>'), { nil: undefined }),
      })
      .map(({ example, unit, ranked }) => {
        const mayRank = made.class === 'public' && (made.type === 'integer' || made.type === 'number')
        return { ...made, example, ...(unit ? { unit } : {}), ...(mayRank ? { ranked } : {}) }
      }),
  )
  return lists(attribute, ({ key }) => key)
}

const eventKinds = lists(
  fc.record({
    type: keys.map(key => `game.${key.slice(0, 51)}`),
    description: descriptions,
    data: fc.dictionary(
      keys,
      fc.record({ type: fc.constantFrom(...valueTypes), description: descriptions }),
      {
        maxKeys: 4,
      },
    ),
  }),
  ({ type }) => type,
)

const tiers = ['leader', 'officer', 'member'] as const
const ranks = fc
  .tuple(
    lists(fc.record({ key: keys, label: labels }), ({ key }) => key, 3),
    fc.array(fc.constantFrom(...tiers), { minLength: 40, maxLength: 40, size: 'max' }),
  )
  // One rank of each tier at least: the casts of the tests have leaders, officers and members.
  .map(([list, more]) =>
    list.map((rank, index) => ({ ...rank, tier: tiers[index] ?? more[index] ?? 'member' })),
  )

const pages = fc.constantFrom(null, 'https://game.example/{id}', 'http://x/?a={id}&b="\'<')

/** Games with any words and attributes: every one of them is in order. */
export const randomProfiles: fc.Arbitrary<Profile> = fc
  .record({
    name: labels,
    url: fc.constantFrom(null, 'https://game.example'),
    currency: fc.record(
      { key: keys, label: labels, decimals: fc.nat({ max: 8 }), price_decimals: fc.nat({ max: 8 }) },
      { requiredKeys: ['key', 'label'] },
    ),
    units,
    resources: words,
    ranks,
    nation_statuses: mapped(nationStatuses),
    war_outcomes: mapped(warOutcomes),
    governments: words,
    continents: words,
    war_types: words,
    battle_kinds: words,
    treaty_types: words,
    news_categories: words,
    pages: fc.record({ nation: pages, alliance: pages, war: pages }),
    event_kinds: eventKinds,
    attributes: fc.record({
      nation: attributes(scopeNames.filter(scope => scope !== 'treasury.read')),
      alliance: attributes(['treasury.read']),
    }),
  })
  // As it comes from a file: plain objects, nothing undefined.
  .map(profile => JSON.parse(JSON.stringify(profile)) as Profile)
  .filter(profile => profileProblems(profile).length === 0)

/** The same game with another value at one place, or with some words more or less. */
export const changedProfiles = (from: Profile = demoProfile): fc.Arbitrary<Profile> =>
  fc
    .record({ other: randomProfiles, taken: fc.subarray(Object.keys(from) as (keyof Profile)[]) })
    .map(({ other, taken }) => ({ ...from, ...Object.fromEntries(taken.map(part => [part, other[part]])) }))
