import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  deleteFact,
  demoProfile,
  eventFact,
  factResources,
  type Profile,
  putFact,
} from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { type Batch, createWorld, type Fact, linesOf } from '../src/index.ts'
import { otherProfile } from './other-profile.ts'

const endsAt = '2026-06-01T12:30:00Z'

/** Validates facts as the service does. Returns the problem of a fact. */
function checkerFor(profile: Profile): (fact: Fact) => string | undefined {
  const { factSchemas, eventKinds } = contractFor(profile)
  const puts = new Map(factResources.map(name => [name, Compile(putFact(name, factSchemas[name]))]))
  const deletes = Compile(deleteFact([...factResources]))
  const events = new Map(
    Object.entries(eventKinds)
      .filter(([, kind]) => !kind.isDerived)
      .map(([type, kind]) => [type, Compile(eventFact(type, kind))]),
  )
  return fact => {
    const check =
      fact.op === 'put'
        ? puts.get(fact.resource)
        : fact.op === 'delete'
          ? deletes
          : events.get(fact.data.type)
    if (!check) return `nothing checks ${JSON.stringify(fact)}`
    return check.Check(fact)
      ? undefined
      : `${JSON.stringify(check.Errors(fact)[0])} in ${JSON.stringify(fact)}`
  }
}

function assertValid(profile: Profile, batches: Iterable<Batch>) {
  const problemOf = checkerFor(profile)
  for (const batch of batches) {
    assert.match(batch.id, /^[A-Za-z0-9._:-]{1,128}$/)
    assert.ok(batch.facts.length <= 5000, `${batch.id} has ${batch.facts.length} facts`)
    for (const fact of batch.facts) {
      const problem = problemOf(fact)
      if (problem !== undefined) assert.fail(problem)
    }
  }
}

function* ticks(world: ReturnType<typeof createWorld>, count: number): Generator<Batch> {
  for (let tick = 1; tick <= count; tick++) {
    yield world.tick(new Date(Date.parse(endsAt) + tick * 7_000).toISOString())
  }
}

test('every fact of a history and of its ticks is valid by the contract', () => {
  const world = createWorld({ nations: 200, days: 30, seed: 7, endsAt })
  assertValid(demoProfile, world.history())
  assertValid(demoProfile, ticks(world, 50))
})

test('a profile with other terms gives a valid world with these terms', () => {
  const world = createWorld({ nations: 120, days: 20, seed: 3, endsAt, profile: otherProfile })
  const batches = [...world.history(), ...ticks(world, 20)]
  assertValid(otherProfile, batches)
  const text = batches.map(linesOf).join('')
  assert.match(text, /"pikemen":[1-9]/)
  assert.doesNotMatch(text, /"(soldiers|tanks|steel|member|recruit)"/)
  assert.ok(batches.some(({ facts }) => facts.some(fact => fact.op === 'put' && fact.resource === 'battle')))
})

test('a profile with hardly any terms gives a valid world', () => {
  const world = createWorld({ nations: 60, days: 12, seed: 3, endsAt, profile: bareProfile })
  assertValid(bareProfile, world.history())
  assertValid(bareProfile, ticks(world, 20))
})

test('a profile with the longest terms gives a valid world', () => {
  const long = <Word extends { label: string }>(words: Word[]) =>
    words.map(word => ({ ...word, label: word.label.padEnd(100, 'x') }))
  const profile: Profile = {
    ...demoProfile,
    name: 'Imperium'.padEnd(100, 'x'),
    units: long(demoProfile.units),
    resources: long(demoProfile.resources),
    governments: long(demoProfile.governments),
    continents: long(demoProfile.continents),
    war_types: long(demoProfile.war_types),
  }
  const world = createWorld({ nations: 120, days: 20, seed: 3, endsAt, profile })
  assertValid(profile, world.history())
})

const bareProfile: Profile = {
  ...demoProfile,
  units: [],
  resources: [],
  ranks: [{ key: 'chief', label: 'Chief', tier: 'leader' }],
  governments: [],
  continents: [],
  war_types: [],
  battle_kinds: [],
  treaty_types: [],
  news_categories: [],
  event_kinds: [],
  attributes: { nation: [], alliance: [] },
}
