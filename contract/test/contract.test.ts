import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { derivedKind } from '../src/events/kind.ts'
import {
  classes,
  contractFor,
  copyOf,
  demoProfile,
  errorCodes,
  type Field,
  type Operation,
  operations,
  originsIn,
  ownText,
  type Resource,
  redactableFields,
  scopeNames,
  writtenText,
} from '../src/index.ts'
import { type JsonSchema, plainSchema } from '../src/json-schema.ts'
import { errorsOf, protocolErrors } from '../src/openapi/public.ts'
import { nationReference } from '../src/resources/references.ts'
import {
  count,
  enumOf,
  id,
  imageUrl,
  listOf,
  nullable,
  profileEnum,
  strictObject,
  text,
  time,
} from '../src/shared-schemas.ts'
import { compiler, complaints } from './compile.ts'

const contract = contractFor(demoProfile)
const everyOperation: Operation[] = Object.values(operations)
const everyField: [string, Field][] = Object.entries<Resource>(contract.resources).flatMap(
  ([name, { fields, factFields }]) =>
    Object.entries({ ...fields, ...factFields }).map(([field, schema]): [string, Field] => [
      `${name}.${field}`,
      schema,
    ]),
)
const privateClasses = ['player_private', 'alliance_private']
const compile = compiler()

test('every field has a class, a description and an example', () => {
  assert.ok(everyField.length > 150)
  for (const [path, field] of everyField) {
    assert.ok(classes.includes(field['x-class']), `${path} has no class`)
    assert.match(field.description, /^\S.*[.:;]$/s, `${path} is not described in whole sentences`)
    assert.equal(field.examples.length, 1, `${path} has no example`)
    assert.notEqual(field.examples[0], undefined, `${path} has no example`)
  }
})

test('every private field names its scope, and no other field does', () => {
  for (const [path, field] of everyField) {
    assert.equal(field['x-scope'] !== undefined, privateClasses.includes(field['x-class']), path)
  }
})

test('every example and every default is valid for its own field', () => {
  for (const [path, field] of everyField) {
    const schema = plainSchema(field)
    const validate = compile(schema)
    assert.deepEqual(complaints(validate, field.examples[0]), [], path)
    if ('default' in schema) assert.deepEqual(complaints(validate, schema.default), [], `${path}: default`)
  }
})

test('null is a value of every field that may be null, for the checker that reads facts', () => {
  for (const [resource, { properties }] of Object.entries(contract.factSchemas)) {
    for (const [field, schema] of Object.entries(properties)) {
      if (![plainSchema(schema).type].flat().includes('null')) continue
      assert.ok(Compile(schema).Check(null), `${resource}.${field}`)
    }
  }
})

test('every member of every event is described', () => {
  const undescribed = Object.entries(contract.eventKinds).flatMap(([type, { data }]) =>
    undescribedMembers(type, plainSchema(data)),
  )
  assert.deepEqual(undescribed, [])
})

test('no member of an event has a class of its own: events are public as a whole', () => {
  for (const [type, { data }] of Object.entries(contract.eventKinds)) {
    assert.doesNotMatch(JSON.stringify(data), /"x-class"/, type)
  }
})

test('a kind of event is refused where a text of its data does not state its origin', () => {
  const summarize = () => 'It happened.'
  const kindWith = (member: TSchema) => () =>
    derivedKind(
      'A kind.',
      strictObject({ nation: nationReference(), item: strictObject({ member }) }),
      summarize,
    )
  const unstated = /item\.member does not state the origin of its text/
  for (const member of [text(10), nullable(text(10)), imageUrl(), profileEnum([]), Type.Unknown()])
    assert.throws(kindWith(member), unstated)
  assert.throws(kindWith(listOf(text(10))), /item\.member\.\[\] does not state/)
  assert.throws(kindWith(copyOf('nation.motto', 'nation_id', text(10))), /which is not an id/)
  for (const member of [ownText(text(10)), writtenText(text(10)), id(), time(), enumOf(['one']), count()])
    assert.doesNotThrow(kindWith(member))
})

test('every public text of a fact can be redacted, or states its origin', () => {
  const redactable: Record<string, readonly string[]> = redactableFields
  for (const [resource, { properties }] of Object.entries(contract.factSchemas))
    for (const [field, schema] of Object.entries(properties)) {
      const classified = everyField.find(([path]) => path === `${resource}.${field}`)?.[1]
      if (classified?.['x-class'] !== 'public' || redactable[resource]?.includes(field)) continue
      assert.doesNotThrow(() => originsIn(strictObject({ [field]: schema })), resource)
    }
})

test('every operation says who may call it', () => {
  for (const { id, scope } of everyOperation) {
    assert.ok(['none', 'key', ...scopeNames].includes(scope), id)
  }
})

test('what needs a key is never shared between callers', () => {
  for (const { id, scope, cache } of everyOperation) {
    if (scope !== 'none') assert.equal(cache, 'private', id)
  }
})

test('private fields leave through exactly two operations', () => {
  const withPrivate = everyOperation.filter(({ returns }) => returns.view === 'owner').map(({ id }) => id)
  assert.deepEqual(withPrivate.sort(), ['alliances.get', 'me.nation'])
})

test('every list states its order and takes page and limit', () => {
  for (const { id, description, parameters, returns } of everyOperation) {
    if (!returns.isList) continue
    assert.match(description, /order|first|by |after/i, `${id} does not state its order`)
    assert.match(description, /\bthen\b.*\b(id|key)\b|by seq|by the resource’s key/s, `${id}: ties are open`)
    assert.ok('page' in parameters && 'limit' in parameters, `${id} has no page or limit`)
  }
})

test('every word of include has its scope, and no scope is without its word', () => {
  for (const { id, parameters, includeScopes = {} } of everyOperation) {
    const words = parameters.include ? plainSchema(parameters.include.schema).items?.enum : []
    assert.deepEqual(words, Object.keys(includeScopes), id)
  }
})

test('every path parameter is declared, and nothing else is in the path', () => {
  for (const { id, path, parameters } of everyOperation) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = Object.keys(parameters).filter(name => parameters[name]?.in === 'path')
    assert.deepEqual(inPath, declared, id)
  }
})

test('every default of a parameter is valid for it', () => {
  for (const { id, parameters } of everyOperation) {
    for (const [name, parameter] of Object.entries(parameters)) {
      const schema = plainSchema(parameter.schema)
      if ('default' in schema)
        assert.deepEqual(complaints(compile(schema), schema.default), [], `${id} ${name}`)
      else
        assert.equal(
          parameter.isAlwaysPresent,
          parameter.in === 'path',
          `${id} ${name} is given without a default`,
        )
    }
  }
})

test('every scope opens something', () => {
  const opening = new Set([
    ...everyField.map(([, field]) => field['x-scope']),
    ...everyOperation.map(({ scope }) => scope),
  ])
  assert.deepEqual(
    scopeNames.filter(scope => !opening.has(scope)),
    [],
  )
})

test('every error is one that some call may meet', () => {
  const met = new Set([...protocolErrors, ...everyOperation.flatMap(errorsOf)])
  assert.deepEqual(
    errorCodes.filter(code => !met.has(code)),
    [],
  )
})

function undescribedMembers(path: string, { properties = {}, required, items }: JsonSchema): string[] {
  // Counts by word have no required members: the words are the game's, and its profile describes them.
  if (items) return undescribedMembers(`${path}[]`, items)
  if (required === undefined && path.includes('losses')) return []
  return Object.entries(properties).flatMap(([member, schema]) => [
    ...(schema.description ? [] : [`${path}.${member}`]),
    ...undescribedMembers(`${path}.${member}`, schema),
  ])
}
