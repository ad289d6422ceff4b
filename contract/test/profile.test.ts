import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attribute, demoProfile, type Profile, profileProblems, profileSchema } from '../src/index.ts'
import { plainSchema } from '../src/json-schema.ts'
import { compiler, complaints } from './compile.ts'

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

const refusals: Record<string, [change: (profile: Profile) => void, problem: RegExp]> = {
  'a word that stands twice': [
    profile => profile.resources.push({ key: 'food', label: 'More food' }),
    /resources: food stands twice/,
  ],
  'an event kind that stands twice': [
    profile => profile.event_kinds.push({ type: 'game.disaster', description: 'Again.', data: {} }),
    /event_kinds: game\.disaster stands twice/,
  ],
  'a private attribute without a scope': [
    profile => profile.attributes.nation.push({ ...attribute, class: 'player_private' }),
    /morale: class player_private needs a scope/,
  ],
  'a public attribute with a scope': [
    profile => profile.attributes.nation.push({ ...attribute, scope: 'military.read' }),
    /morale: class public takes no scope/,
  ],
  'an attribute of nations behind treasury.read': [
    profile =>
      profile.attributes.nation.push({ ...attribute, class: 'player_private', scope: 'treasury.read' }),
    /treasury\.read opens fields of alliances only/,
  ],
  'a private attribute of alliances behind another scope': [
    profile =>
      profile.attributes.alliance.push({ ...attribute, class: 'alliance_private', scope: 'alliance.read' }),
    /takes the scope treasury\.read/,
  ],
  'ranks without a leader': [
    profile => {
      profile.ranks = profile.ranks.filter(rank => rank.tier !== 'leader')
    },
    /at least one needs the tier leader/,
  ],
}

test('the demo game’s profile is in order', () => {
  assert.deepEqual(complaints(validate, demoProfile), [])
  assert.deepEqual(profileProblems(demoProfile), [])
})

for (const [mistake, [change, problem]] of Object.entries(refusals)) {
  test(`${mistake} is refused`, () => {
    const problems = profileProblems(changed(change))
    assert.equal(problems.length, 1, problems.join('\n'))
    assert.match(String(problems[0]), problem)
  })
}

test('an attribute that stands twice is refused', () => {
  const doubled = changed(profile => profile.attributes.nation.push(attribute, attribute))
  assert.notDeepEqual(profileProblems(doubled), [])
})

test('an attribute without a class is refused', () => {
  const { class: _, ...classless } = attribute
  const profile = { ...demoProfile, attributes: { nation: [classless], alliance: [] } }
  assert.match(complaints(validate, profile).join(), /required property 'class'/)
})

test('a word that every object has already is refused', () => {
  const profile = changed(({ units }) => {
    units.push({ key: 'constructor', label: 'Constructor', is_strategic: false, shows_in_losses: true })
  })
  assert.notDeepEqual(complaints(validate, profile), [])
})

test('an event kind of the game that takes one of Chancery’s names is refused', () => {
  const profile = changed(({ event_kinds }) =>
    event_kinds.push({ type: 'war.declared', description: 'Not this one.', data: {} }),
  )
  assert.match(complaints(validate, profile).join(), /pattern/)
})
