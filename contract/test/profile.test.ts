import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Attribute,
  demoProfile,
  type Profile,
  ProfileError,
  parseProfile,
  profileProblems,
  profileSchema,
} from '../src/index.ts'
import { plainSchema } from '../src/json-schema.ts'
import { compiler, validationErrors } from './validation.ts'

const validate = compiler()(plainSchema(profileSchema))

const changed = (change: (profile: Profile) => void): Profile => {
  const profile = structuredClone(demoProfile)
  change(profile)
  return profile
}

const attribute: Attribute = {
  key: 'morale',
  type: 'integer',
  description: 'Morale of the troops.',
  class: 'public',
  example: 7,
}

const invalidProfiles: Record<string, [change: (profile: Profile) => void, problem: RegExp]> = {
  'a duplicate key': [
    profile => profile.resources.push({ key: 'food', label: 'More food' }),
    /resources: food is given twice/,
  ],
  'a duplicate event kind': [
    profile => profile.event_kinds.push({ type: 'game.disaster', description: 'Again.', data: {} }),
    /event_kinds: game\.disaster is given twice/,
  ],
  'a private attribute without a scope': [
    profile => profile.attributes.nation.push({ ...attribute, class: 'player_private' }),
    /morale: class player_private requires a scope/,
  ],
  'a public attribute with a scope': [
    profile => profile.attributes.nation.push({ ...attribute, scope: 'military.read' }),
    /morale: class public must not have a scope/,
  ],
  'an attribute of nations with the scope treasury.read': [
    profile =>
      profile.attributes.nation.push({ ...attribute, class: 'player_private', scope: 'treasury.read' }),
    /treasury\.read applies to fields of alliances only/,
  ],
  'a private attribute of alliances with another scope': [
    profile =>
      profile.attributes.alliance.push({ ...attribute, class: 'alliance_private', scope: 'alliance.read' }),
    /requires the scope treasury\.read/,
  ],
  'a ranked attribute that is not public': [
    profile =>
      profile.attributes.nation.push({
        ...attribute,
        class: 'player_private',
        scope: 'military.read',
        ranked: true,
      }),
    /^attributes\.nation\.morale: ranked requires the class public: a place would reveal the value$/,
  ],
  'a ranked attribute that is no number': [
    profile =>
      profile.attributes.alliance.push({ ...attribute, type: 'string', example: null, ranked: true }),
    /^attributes\.alliance\.morale: ranked requires the type integer or number$/,
  ],
  'a fixed status among those of the game': [
    ({ nation_statuses }) => nation_statuses?.push({ key: 'active', label: 'Active', is: 'active' }),
    /^nation_statuses: every game has active: list only further ones, under other keys$/,
  ],
  'a fixed outcome among those of the game': [
    ({ war_outcomes }) => war_outcomes?.push({ key: 'peace', label: 'Peace', is: 'peace' }),
    /^war_outcomes: every game has peace/,
  ],
  'a duplicate status of the game': [
    ({ nation_statuses }) => nation_statuses?.push({ key: 'banned', label: 'Out', is: 'vacation' }),
    /^nation_statuses: banned is given twice$/,
  ],
  'a strategic weapon with public losses': [
    ({ units }) => {
      for (const unit of units) if (unit.is_strategic && unit.key.startsWith('n')) unit.shows_in_losses = true
    },
    /units: nuclear_missile is strategic, and losses of strategic units are never public: shows_in_losses must be false/,
  ],
  'an example of another type than its attribute': [
    profile => profile.attributes.nation.push({ ...attribute, example: 'high' }),
    /attributes\.nation\.morale: its example must be of the type integer/,
  ],
  'two event kinds that would have the same name in documents': [
    profile => profile.event_kinds.push({ type: 'game.disaster_', description: 'Again.', data: {} }),
    /event_kinds: game\.disaster and game\.disaster_ differ only in underscores/,
  ],
  'a text with a NUL character': [
    profile => {
      profile.name = 'Nil\u0000'
    },
    /^\/name has a character that cannot be stored/,
  ],
  'a text with a lone surrogate': [
    ({ resources }) => {
      for (const resource of resources) if (resource.key === 'coal') resource.label = '\ud800'
    },
    /^\/resources\/2\/label has a character that cannot be stored/,
  ],
  'a profile without a rank of the tier leader': [
    profile => {
      profile.ranks = profile.ranks.filter(rank => rank.tier !== 'leader')
    },
    /at least one must have the tier leader/,
  ],
}

test('the profile of the demo game is valid', () => {
  assert.deepEqual(validationErrors(validate, demoProfile), [])
  assert.deepEqual(profileProblems(demoProfile), [])
})

for (const [mistake, [change, problem]] of Object.entries(invalidProfiles)) {
  test(`${mistake} is rejected`, () => {
    const problems = profileProblems(changed(change))
    assert.equal(problems.length, 1, problems.join('\n'))
    assert.match(String(problems[0]), problem)
  })
}

test('a duplicate attribute is rejected', () => {
  const doubled = changed(profile => profile.attributes.nation.push(attribute, attribute))
  assert.notDeepEqual(profileProblems(doubled), [])
})

const { class: _class, ...classless } = attribute
const builtInKind = { type: 'war.declared', description: 'Not this one.', data: {} }
const inherited = { key: 'constructor', label: 'Constructor', is_strategic: false, shows_in_losses: true }
for (const [mistake, profile, problem] of [
  [
    'an attribute without a class',
    { ...demoProfile, attributes: { nation: [classless], alliance: [] } },
    /required property 'class'/,
  ],
  ['a key that is a property of every object', changed(({ units }) => units.push(inherited)), /./],
  [
    'an event kind with the name of a built-in kind',
    changed(({ event_kinds }) => event_kinds.push(builtInKind)),
    /pattern/,
  ],
] as const)
  test(`${mistake} is rejected`, () => assert.match(validationErrors(validate, profile).join(), problem))

test('an event member named like a property of every object is rejected', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    const text = JSON.stringify(demoProfile).replace('"severity":', `${JSON.stringify(name)}:`)
    assert.throws(() => parseProfile(text), ProfileError, name)
  }
})

test('all problems of a profile are reported at once, in any number', () => {
  const wrong = changed(({ units, governments }) => {
    for (const word of [...units, ...governments]) word.key = word.key.toUpperCase()
  })
  assert.throws(
    () => parseProfile(JSON.stringify(wrong)),
    (error: unknown) => {
      assert.ok(error instanceof ProfileError)
      assert.equal(error.message.split('\n').length, wrong.units.length + wrong.governments.length)
      return true
    },
  )
})

const problemsOf = (text: string) => {
  try {
    parseProfile(text)
    return []
  } catch (error) {
    assert.ok(error instanceof ProfileError, String(error))
    return error.message.split('\n')
  }
}

test('a status or outcome of the game that is mapped to no fixed word is rejected, with the fixed words', () => {
  const [problem, ...others] = problemsOf(
    JSON.stringify({ ...demoProfile, nation_statuses: [{ key: 'at_sea', label: 'At sea', is: 'away' }] }),
  )
  assert.equal(problem, '/nation_statuses/0/is must be one of active, protected, vacation, inactive')
  assert.deepEqual(others, [])
  assert.deepEqual(
    problemsOf(JSON.stringify({ ...demoProfile, war_outcomes: [{ key: 'draw', label: 'Draw' }] })),
    ['/war_outcomes/0/is is missing'],
  )
})

test('statuses and outcomes of the game are optional', () => {
  const { nation_statuses: _statuses, war_outcomes: _outcomes, ...profile } = demoProfile
  assert.deepEqual(problemsOf(JSON.stringify(profile)), [])
  assert.deepEqual(problemsOf(JSON.stringify({ ...profile, units: 3 })).length, 1)
})

test('a duplicate member is rejected with its path, in any spelling', () => {
  const text = JSON.stringify(demoProfile)
  assert.deepEqual(problemsOf(text), [])
  const [unit] = demoProfile.units
  assert.ok(unit)
  const twice = text
    .replace('"name":', '"name":"Another \\"{game","name":')
    .replace('"ranks":[{', '"ranks":[{"k\\u0065y":"x","a/b":{"c":[]},')
    .replace(JSON.stringify(unit.label), `${JSON.stringify(unit.label)},"label":"Again"`)
  assert.deepEqual(problemsOf(twice), [
    '/name is given twice',
    '/units/0/label is given twice',
    '/ranks/0/key is given twice',
  ])
  assert.deepEqual(problemsOf('{"a/b":{"c":[1,{"d":1,"d":2}]}}'), ['/a~1b/c/1/d is given twice'])
})

test('a profile that is nested too deeply is rejected with one line', () => {
  const deep = `${'{"a":['.repeat(20_000)}${']}'.repeat(20_000)}`
  const [problem, ...others] = problemsOf(deep)
  assert.match(problem ?? '', /^(\/a\/0){16} is nested deeper than 32 levels$/)
  assert.deepEqual(others, [])
})
