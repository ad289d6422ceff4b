import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastJson from 'fast-json-stringify'
import {
  type Contract,
  contractFor,
  demoProfile,
  type Operation,
  operations,
  type ResourceName,
  readableSchema,
  responseSchema,
  returnedSchema,
} from '../src/index.ts'

const contract: Contract = contractFor(demoProfile)
const pagination = { page: 1, limit: 25, total: 1, pages: 1 }

interface Body {
  operation: Operation
  resource: ResourceName
}
const bodies: Body[] = Object.values<Operation>(operations).flatMap(operation =>
  operation.returns.resources.map(resource => ({ operation, resource })),
)

const serialize = ({ operation, resource }: Body, item: unknown): unknown => {
  const stringify = fastJson(responseSchema(contract, operation, resource))
  return JSON.parse(stringify(asBody({ operation, resource }, item)))
}
const asBody = ({ operation }: Body, item: unknown) =>
  operation.returns.isList ? { data: [item], pagination } : { data: item }

const viewOf = ({ operation, resource }: Body) => returnedSchema(contract, operation.returns, resource)

/** The examples of the fields in the view of the operation. */
const exampleOf = ({ operation, resource }: Body): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(viewOf({ operation, resource }).properties ?? {}).map(([field, { examples }]) => [
      field,
      examples?.[0],
    ]),
  )

for (const body of bodies) {
  const name = `${body.operation.id} as ${body.resource}`

  test(`${name}: an example is serialized completely`, () => {
    const example = exampleOf(body)
    assert.deepEqual(serialize(body, example), asBody(body, example))
  })

  test(`${name}: null is serialized as null in every nullable field`, () => {
    const { properties = {} } = viewOf(body)
    const nulls = Object.fromEntries(
      Object.entries(properties)
        .filter(([, { type }]) => Array.isArray(type) && type.includes('null'))
        .map(([field]) => [field, null]),
    )
    const item = { ...exampleOf(body), ...nulls }
    assert.deepEqual(serialize(body, item), asBody(body, item))
  })

  test(`${name}: a field that is not in the contract is dropped`, () => {
    const example = exampleOf(body)
    assert.deepEqual(serialize(body, { ...example, password: 'x', _id: 1 }), asBody(body, example))
  })

  test(`${name}: a field that is not in the view of the operation is dropped`, () => {
    const everything = Object.fromEntries(
      Object.entries(contract.resources[body.resource].fields).map(([field, { examples }]) => [
        field,
        examples[0],
      ]),
    )
    assert.deepEqual(serialize(body, everything), asBody(body, exampleOf(body)))
  })

  test(`${name}: a missing public field is an error`, () => {
    const { required = [] } = viewOf(body)
    assert.notEqual(required.length, 0)
    for (const field of required) {
      const { [field]: _, ...rest } = exampleOf(body)
      assert.throws(() => serialize(body, rest), `${field} was omitted without an error`)
    }
  })
}

const body = (operation: Operation, resource: ResourceName): Body => ({ operation, resource })

test('a withheld private section is absent, not null', () => {
  const own = body(operations.meNation, 'nation')
  const { military: _, ...rest } = exampleOf(own)
  assert.deepEqual(serialize(own, rest), { data: rest })
})

test('the response schema of a public operation has no private field', () => {
  const nation = readableSchema(contract.resources.nation, 'public')
  assert.deepEqual(
    ['military', 'economy', 'production', 'assignments', 'player'].filter(
      field => nation.properties && field in nation.properties,
    ),
    [],
  )
})

test('attributes are serialized by their class', () => {
  const profile = structuredClone(demoProfile)
  profile.attributes.nation.push({
    key: 'suspicion',
    type: 'integer',
    description: 'How suspicious the moderators are.',
    class: 'admin_only',
    example: 3,
  })
  const withSuspicion = contractFor(profile)
  const attributes = { literacy_percent: 93.5, war_weariness: 12, suspicion: 3 }
  const nation = { ...exampleOf(body(operations.meNation, 'nation')), attributes }
  const read = (operation: Operation) =>
    JSON.parse(fastJson(responseSchema(withSuspicion, operation))({ data: nation })).data.attributes
  assert.deepEqual(read(operations.nationsGet), { literacy_percent: 93.5 })
  assert.deepEqual(read(operations.meNation), { literacy_percent: 93.5, war_weariness: 12 })
})

test('the data of an event is serialized unchanged, for any kind', () => {
  const events = body(operations.eventsList, 'event')
  const event = { ...exampleOf(events), type: 'game.unheard_of', data: { deep: [{ is: null }, 'x', 1.5] } }
  assert.deepEqual(serialize(events, event), asBody(events, event))
})

test('counts by unit are serialized for units of the profile only', () => {
  const own = body(operations.meNation, 'nation')
  const item = { ...exampleOf(own), economy: { credits: null, resources: { food: 1, secrets: 7 } } }
  const expected = { ...item, economy: { credits: null, resources: { food: 1 } } }
  assert.deepEqual(serialize(own, item), { data: expected })
})

test('the response schema of several resources must be requested by resource', () => {
  assert.throws(() => responseSchema(contract, operations.rankingsList), /pass one of them/)
  assert.throws(() => responseSchema(contract, operations.warsGet, 'nation'), /does not return/)
})
