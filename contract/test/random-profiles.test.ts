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
import { compiler, complaints } from './compile.ts'
import { documentProblems } from './document-problems.ts'
import { changedProfiles, randomProfiles } from './random-profiles.ts'

/** A failure prints its seed and path; CHANCERY_TEST_SEED runs it again. */
const seed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
const share = process.env.CHANCERY_TEST_TIER === 'quick' ? 0.1 : 1
const runs = (usual: number) => ({
  numRuns: Math.ceil(share * usual),
  seed,
  interruptAfterTimeLimit: 60_000,
})
test.before(() => console.log(`random profiles of the seed ${seed}`))

test('any profile in order is read as it was written', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      assert.deepEqual(parseProfile(JSON.stringify(profile)), profile)
    }),
    runs(150),
  )
})

test('the reference of any game is valid, and its examples are in its words', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      assert.deepEqual(documentProblems(openApiFor(contractFor(profile))), [])
    }),
    runs(8),
  )
})

test('the reference of any game names what everybody may read where everybody reads it, and what nobody may nowhere', () => {
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

/** Facts in the words of a game, each with the same fact in a word that it does not have. */
function factsIn({ profile }: Contract): [good: object, bad: object | undefined][] {
  const put = (resource: string, data: object) => ({ op: 'put', resource, data })
  const unknown = 'no_such_word_of_any_list'
  const word = (list: { key: string }[], make: (word: string) => object): [object, object | undefined][] =>
    list.length === 0 ? [[make('any word'), undefined]] : list.map(({ key }) => [make(key), make(unknown)])
  const counts = (list: { key: string }[], make: (counts: object) => object): [object, object][] => [
    [make(Object.fromEntries(list.map(({ key }) => [key, 3]))), make({ [unknown]: 3 })],
  ]
  const { units, attributes } = profile
  const values = { string: 'text', integer: 3, number: 2.5, boolean: true, time: '2026-05-27T18:04:11Z' }
  const wrong = { string: 3, integer: 'text', number: 'text', boolean: 'text', time: 'today' }
  return [
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

test('the facts schema of any game takes its words, and refuses those that it does not have', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      const contract = contractFor(profile)
      const validate = compiler()(factsSchema(contract))
      for (const [good, bad] of factsIn(contract)) {
        assert.deepEqual(complaints(validate, good), [], JSON.stringify(good))
        if (bad) assert.notDeepEqual(complaints(validate, bad), [], JSON.stringify(bad))
      }
      assert.ok(factResources.every(resource => contract.factSchemas[resource]))
    }),
    runs(8),
  )
})

/** What somebody may read of a world that nobody might before, by the words of the classification alone. */
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

test('a profile differs from itself in nothing, in whatever order its members are kept', () => {
  fc.assert(
    fc.property(randomProfiles, profile => {
      const kept = reversed(profile) as Profile
      assert.ok(profilesEqual(kept, profile))
      assert.deepEqual(profileChanges(kept, profile), [])
    }),
    runs(150),
  )
})

test('no change of any profile opens an attribute unseen, and the way back of each is known', () => {
  const pairs = randomProfiles.chain(before =>
    fc.record({ before: fc.constant(before), after: fc.oneof(changedProfiles(before), reclassed(before)) }),
  )
  let loosened = 0
  fc.assert(
    fc.property(pairs, ({ before, after }) => {
      const changes = profileChanges(before, after)
      const back = profileChanges(after, before)
      const opens = changes.some(
        ({ part, kind }) => part.startsWith('attributes.') && (kind === 'loosened' || kind === 'rescoped'),
      )
      assert.equal(opens, isLoosened(before, after))
      if (opens) loosened += 1
      const attributesOf = (list: typeof changes, kind: string) =>
        list
          .flatMap(change =>
            change.kind === kind && change.part.startsWith('attributes.') ? [change.path] : [],
          )
          .sort()
      assert.deepEqual(attributesOf(back, 'tightened'), attributesOf(changes, 'loosened'))
      assert.deepEqual(attributesOf(back, 'rescoped'), attributesOf(changes, 'rescoped'))
      assert.equal(changes.length === 0 && !sameWords(before, after), false)
    }),
    runs(600),
  )
  assert.ok(loosened > 0, 'some of them open something')
})

/** The order of words is no change that is told. */
const sameWords = (one: Profile, other: Profile) => profilesEqual(sorted(one), sorted(other))
const sorted = (profile: Profile) =>
  JSON.parse(JSON.stringify(profile), (_name, value) =>
    Array.isArray(value)
      ? value.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : value,
  ) as unknown

/** The same attributes in other classes. */
const reclassed = (profile: Profile): fc.Arbitrary<Profile> =>
  fc
    .array(fc.constantFrom<Attribute['class']>('public', 'player_private', 'admin_only'), {
      minLength: 80,
      maxLength: 80,
    })
    .map(classes => {
      let next = 0
      const reclass = (list: Attribute[], scope: Attribute['scope']) =>
        list.map(({ scope: _, ...attribute }): Attribute => {
          const to = classes[next++] ?? 'public'
          return { ...attribute, class: to, ...(to === 'player_private' && scope ? { scope } : {}) }
        })
      const { nation, alliance } = profile.attributes
      return {
        ...profile,
        attributes: { nation: reclass(nation, 'economy.read'), alliance: reclass(alliance, 'treasury.read') },
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
