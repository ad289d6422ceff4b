import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { derivedKind } from '../src/events/kind.ts'
import {
  classes,
  contractFor,
  copyOf,
  type DerivedList,
  demoProfile,
  errorCodes,
  type FactResource,
  type Field,
  factResources,
  isNullable,
  listedResources,
  type Operation,
  operations,
  originsIn,
  primaryKeys,
  type Resource,
  redactableFields,
  scopeNames,
  systemText,
  writtenText,
} from '../src/index.ts'
import { type JsonSchema, plainSchema } from '../src/json-schema.ts'
import { errorsOf, protocolErrors } from '../src/openapi/public.ts'
import { historyLimit } from '../src/public/parameters.ts'
import { snapshotErrors } from '../src/public/snapshots.ts'
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
import { compiler, validationErrors } from './validation.ts'

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
    assert.deepEqual(validationErrors(validate, field.examples[0]), [], path)
    if ('default' in schema)
      assert.deepEqual(validationErrors(validate, schema.default), [], `${path}: default`)
  }
})

test('the validator of facts accepts null in every nullable field', () => {
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

test('an event kind with a text of unstated origin is rejected', () => {
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
  for (const member of [systemText(text(10)), writtenText(text(10)), id(), time(), enumOf(['one']), count()])
    assert.doesNotThrow(kindWith(member))
})

test('every public text of a fact can be redacted, or states its origin', () => {
  const redactable: Record<string, readonly string[]> = redactableFields
  for (const [resource, { properties }] of Object.entries(contract.factSchemas))
    for (const [field, schema] of Object.entries(properties)) {
      const classified = everyField.find(([path]) => path === `${resource}.${field}`)?.[1]
      if (classified?.['x-class'] !== 'public' || redactable[resource]?.includes(field)) continue
      const origins = originsIn(strictObject({ [field]: schema }))
      // A redaction rewrites texts that people wrote in events, and of rows only the sides of conflicts.
      if (`${resource}.${field}` !== 'conflict.sides')
        assert.ok(!origins.includes('written'), `${resource}.${field}: list it in redactableFields`)
    }
})

test('every operation has a known scope', () => {
  for (const { id, scope } of everyOperation) {
    assert.ok(['none', 'key', ...scopeNames].includes(scope), id)
  }
})

test('operations that require a key have the cache policy private', () => {
  for (const { id, scope, cache } of everyOperation) {
    if (scope !== 'none') assert.equal(cache, 'private', id)
  }
})

test('exactly two operations return private fields', () => {
  const withPrivate = everyOperation.filter(({ returns }) => returns.view === 'owner').map(({ id }) => id)
  assert.deepEqual(withPrivate.sort(), ['alliances.get', 'me.nation'])
})

test('every list states its order and takes page and limit', () => {
  for (const { id, description, parameters, returns } of everyOperation) {
    if (!returns.isList) continue
    assert.match(description, /order|first|by |after/i, `${id} does not state its order`)
    assert.match(
      description,
      /\bthen\b.*\b(id|key)\b|by seq|by the resource’s key|one point a day by date/is,
      `${id}: ties are open`,
    )
    assert.ok('page' in parameters && 'limit' in parameters, `${id} has no page or limit`)
  }
})

test('every list has pages of 1 to 100 items, 25 by default; only histories have up to 400, and 100', () => {
  const histories: string[] = []
  for (const { id, parameters, returns } of everyOperation) {
    if (!returns.isList) continue
    const {
      minimum,
      maximum,
      default: fallback,
    } = (parameters.limit?.schema ?? {}) as Record<string, unknown>
    if (parameters.limit === historyLimit) histories.push(id)
    const expected = parameters.limit === historyLimit ? [1, 400, 100] : [1, 100, 25]
    assert.deepEqual([minimum, maximum, fallback], expected, id)
  }
  assert.deepEqual(histories.sort(), ['alliances.history', 'market.history', 'nations.history'])
})

test('every filter by a field, and every order of a derived list, names stored public fields', () => {
  for (const operation of everyOperation) {
    const [name] = operation.returns.resources
    const resource: Resource = contract.resources[name as FactResource]
    const filters = Object.values(operation.parameters).flatMap(({ compares }) => compares?.fields ?? [])
    const { order = {} } = operation as Partial<DerivedList>
    for (const field of [...filters, ...Object.keys(order)]) {
      const { 'x-class': fieldClass, 'x-derived': isDerived } = resource.fields[field] ?? {}
      assert.deepEqual([fieldClass, isDerived ?? false], ['public', false], `${operation.id} ${field}`)
    }
    for (const field of operation.returns.narrowed?.neverNull ?? []) {
      const isGiven = Object.values(operation.parameters).some(
        ({ in: place, compares }) => place === 'path' && compares?.fields.includes(field),
      )
      assert.ok(
        isGiven && isNullable(resource.fields[field] ?? {}),
        `${operation.id} ${field} is never null because it is in the path`,
      )
    }
    if (!('order' in operation)) continue
    assert.equal(Object.keys(order).at(-1), primaryKeys[name as FactResource], operation.id)
    const derived = Object.keys(resource.fields).filter(field => resource.fields[field]?.['x-derived'])
    assert.deepEqual(derived, [], `${operation.id} has fields that no column stores`)
  }
})

test('every value of include has a scope, and every such scope a value', () => {
  for (const { id, parameters, includeScopes = {} } of everyOperation) {
    const words = parameters.include ? plainSchema(parameters.include.schema).items?.enum : []
    assert.deepEqual(words, Object.keys(includeScopes), id)
  }
})

test('the parameters of a path are exactly the declared ones', () => {
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
        assert.deepEqual(validationErrors(compile(schema), schema.default), [], `${id} ${name}`)
      else
        assert.equal(
          parameter.isAlwaysPresent,
          parameter.in === 'path',
          `${id} ${name} is always present without a default`,
        )
    }
  }
})

test('every resource that is listed for all callers has logged changes: all that the game sends, but applications', () => {
  assert.deepEqual([...listedResources, 'alliance_application'].toSorted(), factResources.toSorted())
})

test('every scope is used by an operation or a field', () => {
  const used = new Set([
    ...everyField.map(([, field]) => field['x-scope']),
    ...everyOperation.map(({ scope }) => scope),
  ])
  assert.deepEqual(
    scopeNames.filter(scope => !used.has(scope)),
    [],
  )
})

test('every error code can occur in some operation', () => {
  const possible = new Set<string>([
    ...protocolErrors,
    ...snapshotErrors,
    ...everyOperation.flatMap(errorsOf),
  ])
  assert.deepEqual(
    errorCodes.filter(code => !possible.has(code)),
    [],
  )
})

function undescribedMembers(path: string, { properties = {}, required, items }: JsonSchema): string[] {
  // Counts by unit have no required members: their names come from the game profile, which describes them.
  if (items) return undescribedMembers(`${path}[]`, items)
  if (required === undefined && path.includes('losses')) return []
  return Object.entries(properties).flatMap(([member, schema]) => [
    ...(schema.description ? [] : [`${path}.${member}`]),
    ...undescribedMembers(`${path}.${member}`, schema),
  ])
}
