import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { factsSchema } from '../src/facts-schema.ts'
import {
  type Attribute,
  type Contract,
  contractFor,
  factResources,
  openApiFor,
  type Profile,
  parseProfile,
  profileChanges,
  profilesEqual,
} from '../src/index.ts'
import { changedProfiles, randomProfiles } from './random-profiles.ts'
import { compiler, documentProblems, validationErrors } from './validation.ts'

/** A failure prints its seed and path; CHANCERY_TEST_SEED runs it again. */
const seed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
const share = process.env.CHANCERY_TEST_TIER === 'quick' ? 0.1 : 1
const runs = (usual: number) => ({
  numRuns: Math.ceil(share * usual),
  seed,
  interruptAfterTimeLimit: 60_000,
})
test.before(() => console.log(`random profiles of the seed ${seed}`))

test('parsing a serialized valid profile returns the same profile', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      assert.deepEqual(parseProfile(JSON.stringify(profile)), profile)
    }),
    runs(150),
  )
})

test('the reference of any valid profile is valid, and its examples use the terms of the profile', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      assert.deepEqual(documentProblems(openApiFor(contractFor(profile))), [])
    }),
    runs(8),
  )
})

test('the reference of any profile lists attributes by their class, and none of the class admin_only', () => {
  const keysOf = (list: Attribute[], isIn: (attribute: Attribute) => boolean) =>
    list
      .filter(isIn)
      .map(({ key }) => key)
      .sort()
  fc.assert(
    fc.property(randomProfiles, profile => {
      const { schemas } = openApiFor(contractFor(profile)).components
      const shown = (name: string) =>
        Object.keys(schemas[name]?.properties?.attributes?.properties ?? {}).sort()
      const { nation, alliance } = profile.attributes
      const isPublic = (attribute: Attribute) => attribute.class === 'public'
      const isReadable = (attribute: Attribute) => attribute.class !== 'admin_only'
      assert.deepEqual(shown('Nation'), keysOf(nation, isPublic))
      assert.deepEqual(shown('OwnNation'), keysOf(nation, isReadable))
      assert.deepEqual(shown('Alliance'), keysOf(alliance, isPublic))
      assert.deepEqual(shown('AllianceWithTreasury'), keysOf(alliance, isReadable))
    }),
    runs(40),
  )
})

/** Facts with the terms of a profile, each with the same fact and an unknown term. */
function factsIn({ profile }: Contract): [good: object, bad: object | undefined][] {
  const put = (resource: string, data: object) => ({ op: 'put', resource, data })
  const unknown = 'no_such_word_of_any_list'
  const word = (list: { key: string }[], make: (word: string) => object): [object, object | undefined][] =>
    list.length === 0 ? [[make('any word'), undefined]] : list.map(({ key }) => [make(key), make(unknown)])
  const own = (list: { key: string }[] = [], make: (word: string | null) => object) =>
    [null, ...list.map(({ key }) => key)].map((key): [object, object] => [make(key), make(unknown)])
  const counts = (list: { key: string }[], make: (counts: object) => object): [object, object][] => [
    [make(Object.fromEntries(list.map(({ key }) => [key, 3]))), make({ [unknown]: 3 })],
  ]
  const { units, attributes } = profile
  const values = {
    string: 'text',
    integer: 3,
    number: 2.5,
    boolean: true,
    time: '2026-05-27T18:04:11Z',
    strings: ['one', 'two'],
    ids: ['n1'],
  }
  const wrong = {
    string: 3,
    integer: 'text',
    number: 'text',
    boolean: 'text',
    time: 'today',
    strings: ['one', 2],
    ids: 'n1',
  }
  return [
    ...own(profile.nation_statuses, game_status => put('nation', { id: 'n', game_status })),
    ...own(profile.war_outcomes, game_outcome => put('war', { id: 'w', game_outcome })),
    ...word(profile.governments, government => put('nation', { id: 'n', government })),
    ...word(profile.continents, continent => put('nation', { id: 'n', continent })),
    ...word(profile.ranks, rank => put('alliance_member', { nation_id: 'n', rank })),
    ...word(profile.war_types, type => put('war', { id: 'w', type })),
    ...word(profile.battle_kinds, kind => put('battle', { id: 'b', kind })),
    ...word(profile.treaty_types, type => put('treaty', { id: 't', type })),
    ...word(profile.news_categories, category => put('news_item', { id: 'i', category })),
    ...word(profile.resources, resource => put('market_price', { resource })),
    ...counts(
      units.filter(unit => !unit.is_strategic),
      of => put('nation', { id: 'n', military: { units: of, reserves: of } }),
    ),
    ...counts(
      units.filter(unit => unit.is_strategic),
      strategic => put('nation', { id: 'n', military: { strategic } }),
    ),
    ...counts(
      units.filter(unit => unit.shows_in_losses),
      attacker => put('battle', { id: 'b', losses: { attacker } }),
    ),
    ...counts(profile.resources, resources => put('nation', { id: 'n', economy: { resources } })),
    ...counts(profile.resources, resources => put('alliance', { id: 'a', treasury: { resources } })),
    ...(['nation', 'alliance'] as const).flatMap(owner =>
      attributes[owner].map(({ key, type }): [object, object] => [
        put(owner, { id: 'x', attributes: { [key]: values[type] } }),
        put(owner, { id: 'x', attributes: { [key]: wrong[type] } }),
      ]),
    ),
    ...profile.event_kinds.map(({ type, data }): [object, object] => {
      const event = (of: object) => ({
        op: 'event',
        data: { type, occurred_at: '2026-05-27T18:04:11Z', data: of },
      })
      const good = Object.fromEntries(Object.entries(data).map(([name, of]) => [name, values[of.type]]))
      return [event(good), event({ ...good, [unknown]: 1 })]
    }),
    [put('nation', { id: 'n', attributes: {} }), put('nation', { id: 'n', attributes: { [unknown]: 1 } })],
  ]
}

test('the facts schema of any profile accepts its terms, and rejects unknown ones', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      const contract = contractFor(profile)
      const validate = compiler()(factsSchema(contract))
      for (const [good, bad] of factsIn(contract)) {
        assert.deepEqual(validationErrors(validate, good), [], JSON.stringify(good))
        if (bad) assert.notDeepEqual(validationErrors(validate, bad), [], JSON.stringify(bad))
      }
      assert.ok(factResources.every(resource => contract.factSchemas[resource]))
    }),
    runs(8),
  )
})

/** Whether a reader gains access to an attribute, by the classes alone. */
function isLoosened(before: Profile, after: Profile): boolean {
  const rank = { admin_only: 0, alliance_private: 1, player_private: 1, public: 2 }
  return (['nation', 'alliance'] as const).some(owner =>
    before.attributes[owner].some(attribute => {
      const now = after.attributes[owner].find(({ key }) => key === attribute.key)
      if (!now) return false
      if (rank[now.class] > rank[attribute.class]) return true
      const isPrivate = rank[now.class] === 1 && rank[attribute.class] === 1
      return isPrivate && (now.class !== attribute.class || now.scope !== attribute.scope)
    }),
  )
}

test('a profile has no changes to itself with its members in another order', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      const kept = reversed(profile) as Profile
      assert.ok(profilesEqual(kept, profile))
      assert.deepEqual(profileChanges(kept, profile), [])
    }),
    runs(150),
  )
})

test('every change that loosens an attribute is reported, and its reverse is reported as tightened', () => {
  const pairs = randomProfiles.chain(before =>
    fc.record({
      before: fc.constant(before),
      after: fc.oneof(changedProfiles(before), withOtherClasses(before)),
    }),
  )
  let loosened = 0
  fc.assert(
    fc.property(pairs, ({ before, after }) => {
      const changes = profileChanges(before, after)
      const back = profileChanges(after, before)
      const loosens = changes.some(
        ({ part, kind }) => part.startsWith('attributes.') && (kind === 'loosened' || kind === 'rescoped'),
      )
      assert.equal(loosens, isLoosened(before, after))
      if (loosens) loosened += 1
      const attributesOf = (list: typeof changes, kind: string) =>
        list
          .flatMap(change =>
            change.kind === kind && change.part.startsWith('attributes.') ? [change.path] : [],
          )
          .sort()
      assert.deepEqual(attributesOf(back, 'tightened'), attributesOf(changes, 'loosened'))
      assert.deepEqual(attributesOf(back, 'rescoped'), attributesOf(changes, 'rescoped'))
      assert.equal(changes.length === 0 && !sameTerms(before, after), false)
    }),
    runs(600),
  )
  assert.ok(loosened > 0, 'some changes loosen an attribute')
})

/** The order of terms is not a change. */
const sameTerms = (one: Profile, other: Profile) => profilesEqual(sorted(one), sorted(other))
const sorted = (profile: Profile) =>
  JSON.parse(JSON.stringify(profile), (_name, value) =>
    Array.isArray(value)
      ? value.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : value,
  ) as unknown

/** The same attributes in other classes. */
const withOtherClasses = (profile: Profile): fc.Arbitrary<Profile> =>
  fc
    .array(fc.constantFrom<Attribute['class']>('public', 'player_private', 'admin_only'), {
      minLength: 80,
      maxLength: 80,
    })
    .map(classes => {
      let next = 0
      const change = (list: Attribute[], scope: Attribute['scope']) =>
        list.map(({ scope: _, ...attribute }): Attribute => {
          const to = classes[next++] ?? 'public'
          return { ...attribute, class: to, ...(to === 'player_private' && scope ? { scope } : {}) }
        })
      const { nation, alliance } = profile.attributes
      return {
        ...profile,
        attributes: { nation: change(nation, 'economy.read'), alliance: change(alliance, 'treasury.read') },
      }
    })

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  )
}
