import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Contract,
  contractFor,
  demoProfile,
  type Field,
  holdsScope,
  type Profile,
  type Resource,
  type Scope,
  scopeNames,
} from '@chancery/contract'
import fc from 'fast-check'
import { type Clearance, createDisclosure, publicClearance } from '../../src/disclosure/disclosure.ts'
import { randomRuns } from '../support/tier.ts'
import { profiles } from './profiles.ts'
import { valuesOf } from './values.ts'

const runs = randomRuns(100)

type Thing = Record<string, unknown>
type Names = keyof Contract['resources']

const clearances: fc.Arbitrary<Clearance> = fc.record({
  scopes: fc.subarray(scopeNames).map(names => new Set<Scope>(names)),
  isOwner: fc.boolean(),
  maySeeTreasury: fc.boolean(),
})

/** A thing with a value in every field, whoever may read it. */
const thingOf = ({ fields }: Resource): fc.Arbitrary<Thing> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valuesOf(field)])))

/** The words of the contract, one sentence a class. */
function isAllowed(resource: string, field: Field, { scopes, isOwner, maySeeTreasury }: Clearance): boolean {
  const needed = field['x-scope']
  const holds = needed !== undefined && holdsScope(scopes, needed)
  return {
    public: true,
    player_private: resource === 'nation' && isOwner && holds,
    alliance_private: holds && (resource === 'nation' ? isOwner : resource === 'alliance' && maySeeTreasury),
    admin_only: false,
  }[field['x-class']]
}

/** What the disclosed thing must be. */
function expected(resource: Resource, thing: Thing, clearance: Clearance): Thing {
  const shown = Object.entries(resource.fields)
    .filter(([, field]) => isAllowed(resource.name, field, clearance))
    .map(([name, field]) => [name, name === 'attributes' ? attributes(field) : thing[name]])
  const result = Object.fromEntries(shown) as Thing
  const { alliance, assignments } = result as { alliance?: { alliance_id: string }; assignments?: unknown }
  if (resource.name === 'nation' && Array.isArray(assignments)) {
    result.assignments = assignments.filter(
      ({ alliance_id }) => alliance && alliance_id === alliance.alliance_id,
    )
  }
  return result

  function attributes(field: Field): Thing {
    const { properties } = field as unknown as { properties: Record<string, Field> }
    const values = Object.entries(thing.attributes as Thing)
    return Object.fromEntries(
      values.filter(([key]) => {
        const attribute = properties[key]
        return (
          attribute && (attribute['x-class'] === undefined || isAllowed(resource.name, attribute, clearance))
        )
      }),
    )
  }
}

function holdsFor(profile: Profile, any: Clearance, seed: number): void {
  const contract = contractFor(profile)
  const disclose = createDisclosure(contract)
  for (const name of Object.keys(contract.resources) as Names[]) {
    const resource: Resource = contract.resources[name]
    // Nobody owns anything but a nation.
    const clearance = { ...any, isOwner: any.isOwner && name === 'nation' }
    for (const thing of fc.sample(thingOf(resource), { numRuns: 2, seed })) {
      const toViewer = disclose.toViewer(name, thing as never, clearance)
      assert.deepEqual({ ...(toViewer as Thing) }, expected(resource, thing, clearance), name)
      const toEveryone = disclose.toPublic(name, thing as never)
      assert.deepEqual({ ...(toEveryone as Thing) }, expected(resource, thing, publicClearance), name)
    }
  }
}

test('of every resource a viewer is shown exactly what class, scope and standing allow, and the rest is absent', () => {
  const property = fc.property(fc.oneof(fc.constant(demoProfile), profiles), clearances, fc.nat(), holdsFor)
  fc.assert(property, { numRuns: runs })
})

test('all scopes without an entitlement show no more than the public view', () => {
  const disclose = createDisclosure(contractFor(demoProfile))
  const contract = contractFor(demoProfile)
  const clearance = { scopes: new Set(scopeNames), isOwner: false, maySeeTreasury: false }
  for (const name of Object.keys(contract.resources) as Names[]) {
    const [thing] = fc.sample(thingOf(contract.resources[name]), 1)
    const shown = disclose.toViewer(name, thing as never, clearance)
    assert.deepEqual(shown, disclose.toPublic(name, thing as never), name)
  }
})

test('every entitlement without a scope shows no more than the public view', () => {
  const disclose = createDisclosure(contractFor(demoProfile))
  const contract = contractFor(demoProfile)
  const clearance = { scopes: new Set<Scope>(), isOwner: true, maySeeTreasury: true }
  for (const name of Object.keys(contract.resources) as Names[]) {
    const [thing] = fc.sample(thingOf(contract.resources[name]), 1)
    const shown = disclose.toViewer(name, thing as never, clearance)
    assert.deepEqual(shown, disclose.toPublic(name, thing as never), name)
  }
})

test('what the contract does not name is not shown to any viewer', () => {
  const disclose = createDisclosure(contractFor(demoProfile))
  const cleared = { scopes: new Set(scopeNames), isOwner: true, maySeeTreasury: true }
  const thing = {
    id: 'n1',
    alliance: null,
    player: 'p1',
    moderation_notes: 'x',
    password: 'x',
    private_attributes: { x: 1 },
    attributes: { literacy_percent: 9, war_weariness: 3, nameless: 5 },
  }
  const { attributes, ...shown } = disclose.toViewer('nation', thing as never, cleared)
  assert.deepEqual(attributes, { literacy_percent: 9, war_weariness: 3 })
  for (const name of ['player', 'moderation_notes', 'password', 'private_attributes']) {
    assert.ok(!Object.hasOwn(shown, name), name)
  }
  assert.deepEqual(disclose.toPublic('nation', thing as never).attributes, { literacy_percent: 9 })
})
