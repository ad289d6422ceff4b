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

type Row = Record<string, unknown>
type Names = keyof Contract['resources']

const clearances: fc.Arbitrary<Clearance> = fc.record({
  scopes: fc.subarray(scopeNames).map(names => new Set<Scope>(names)),
  isOwner: fc.boolean(),
  maySeeTreasury: fc.boolean(),
})

/** A row with a value in every field. */
const rowOf = ({ fields }: Resource): fc.Arbitrary<Row> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valuesOf(field)])))

/** The rules of the contract, a line for each class. */
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

/** The row that must be disclosed. */
function expected(resource: Resource, row: Row, clearance: Clearance): Row {
  const shown = Object.entries(resource.fields)
    .filter(([, field]) => isAllowed(resource.name, field, clearance))
    .map(([name, field]) => [name, name === 'attributes' ? attributes(field) : row[name]])
  const result = Object.fromEntries(shown) as Row
  const { alliance, assignments } = result as { alliance?: { alliance_id: string }; assignments?: unknown }
  if (resource.name === 'nation' && Array.isArray(assignments)) {
    result.assignments = assignments.filter(
      ({ alliance_id }) => alliance && alliance_id === alliance.alliance_id,
    )
  }
  return result

  function attributes(field: Field): Row {
    const { properties } = field as unknown as { properties: Record<string, Field> }
    const values = Object.entries(row.attributes as Row)
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
    // Only nations have an owner.
    const clearance = { ...any, isOwner: any.isOwner && name === 'nation' }
    for (const row of fc.sample(rowOf(resource), { numRuns: 2, seed })) {
      const toViewer = disclose.toViewer(name, row as never, clearance)
      assert.deepEqual({ ...(toViewer as Row) }, expected(resource, row, clearance), name)
      const toEveryone = disclose.toPublic(name, row as never)
      assert.deepEqual({ ...(toEveryone as Row) }, expected(resource, row, publicClearance), name)
    }
  }
}

test('a viewer gets exactly the fields of every resource that class, scope and access allow', () => {
  const property = fc.property(fc.oneof(fc.constant(demoProfile), profiles), clearances, fc.nat(), holdsFor)
  fc.assert(property, { numRuns: runs })
})

for (const [what, clearance] of Object.entries({
  'all scopes without an entitlement': { scopes: new Set(scopeNames), isOwner: false, maySeeTreasury: false },
  'every entitlement without a scope': { scopes: new Set<Scope>(), isOwner: true, maySeeTreasury: true },
}))
  test(`${what} shows no more than the public view`, () => {
    const contract = contractFor(demoProfile)
    const disclose = createDisclosure(contract)
    for (const name of Object.keys(contract.resources) as Names[]) {
      const [row] = fc.sample(rowOf(contract.resources[name]), 1)
      const shown = disclose.toViewer(name, row as never, clearance)
      assert.deepEqual(shown, disclose.toPublic(name, row as never), name)
    }
  })

test('a field that the contract does not define is shown to no viewer', () => {
  const disclose = createDisclosure(contractFor(demoProfile))
  const cleared = { scopes: new Set(scopeNames), isOwner: true, maySeeTreasury: true }
  const row = {
    id: 'n1',
    alliance: null,
    player: 'p1',
    moderation_notes: 'x',
    password: 'x',
    private_attributes: { x: 1 },
    attributes: { literacy_percent: 9, war_weariness: 3, nameless: 5 },
  }
  const { attributes, ...shown } = disclose.toViewer('nation', row as never, cleared)
  assert.deepEqual(attributes, { literacy_percent: 9, war_weariness: 3 })
  for (const name of ['player', 'moderation_notes', 'password', 'private_attributes']) {
    assert.ok(!Object.hasOwn(shown, name), name)
  }
  assert.deepEqual(disclose.toPublic('nation', row as never).attributes, { literacy_percent: 9 })
})
