import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classesLock } from '../src/classes-lock.ts'
import { publicField } from '../src/classification.ts'
import { factsSchema } from '../src/facts-schema.ts'
import {
  contractFor,
  demoProfile,
  type Operation,
  openApiFor,
  operations,
  operatorOpenApiFor,
} from '../src/index.ts'
import { openApiOperation } from '../src/openapi/public.ts'
import { documented } from '../src/openapi/schemas.ts'
import { strictObject, text } from '../src/shared-schemas.ts'
import { compiler, resolveRef, validationErrors, valuesOf, withDocumentRefs } from './validation.ts'

const hiddenWord = 'suspicion_of_cheating'
const profile = structuredClone(demoProfile)
profile.attributes.nation.push({
  key: hiddenWord,
  type: 'integer',
  description: 'How suspicious the moderators are.',
  class: 'admin_only',
  example: 3,
})
const contract = contractFor(profile)
const document = openApiFor(contract)
const everyOperation: Operation[] = Object.values(operations)
const written = JSON.stringify(document)

/** A component, compiled together with everything that it refers to. */
const compile = compiler({ openapi: document })
const compileRef = (ref: string) => compile({ $ref: `openapi${ref}` })

test('every public operation is in its document once, with its parameters and a known tag', () => {
  const documented = Object.entries(document.paths).map(([path, { get }]) => [path, get.operationId])
  assert.deepEqual(
    documented,
    everyOperation.map(({ path, id }) => [path, id]),
  )
  assert.equal(new Set(documented.map(([, id]) => id)).size, everyOperation.length)
  const tags = document.tags.map(({ name }) => name)
  for (const [path, { get }] of Object.entries(document.paths)) {
    assert.ok(
      get.tags.every(tag => tags.includes(tag)),
      path,
    )
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = get.parameters.flatMap(parameter =>
      'in' in parameter && parameter.in === 'path' && parameter.required ? [parameter.name] : [],
    )
    assert.deepEqual(declared, inPath)
  }
})

const internalKeywords = ['x-derived', 'x-input', 'x-facts', '~kind', '"title":"Key"']
for (const [name, checked] of [
  ['public', document],
  ['operator', operatorOpenApiFor(contractFor(demoProfile))],
] as const) {
  test(`every reference of the ${name} document resolves, and every component is a valid schema and is used`, () => {
    const refs = new Set(valuesOf('$ref', checked))
    assert.ok(refs.size > 20)
    for (const ref of refs) assert.notEqual(resolveRef(checked, ref), undefined, String(ref))
    const compile = compiler({ openapi: checked })
    for (const [kind, components] of Object.entries<object>(checked.components)) {
      if (kind === 'securitySchemes') continue
      for (const component of Object.keys(components)) {
        const ref = `#/components/${kind}/${component}`
        assert.ok(refs.has(ref), `${ref} is not used`)
        if (kind === 'schemas') compile({ $ref: `openapi${ref}` })
      }
    }
  })

  test(`internal keywords are not in the ${name} document`, () => {
    for (const word of internalKeywords) assert.ok(!JSON.stringify(checked).includes(word), word)
  })
}

test('every example of a public response is valid for its schema', () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const json = Object(resolvedOf(response)).content?.['application/json']
      if (!json) continue
      const validate = compile(withDocumentRefs(json.schema))
      for (const example of Object.values<{ value: unknown }>(json.examples)) {
        assert.deepEqual(validationErrors(validate, example.value), [], `${path} ${status}`)
      }
    }
  }
})

test('an example of an event is valid for its kind, and an event of an unknown kind is valid', () => {
  const validate = compileRef('#/components/schemas/Event')
  const event = Object.fromEntries(
    Object.entries(contract.resources.event.fields).map(([field, { examples }]) => [field, examples[0]]),
  )
  assert.deepEqual(validationErrors(validate, event), [])
  assert.deepEqual(validationErrors(validate, { ...event, type: 'later.kind', data: { new: true } }), [])
  const { war_id: _, ...incomplete } = event
  assert.notDeepEqual(validationErrors(validate, incomplete), [])
})

test('data of an event that is not of its type is invalid, and each type has its variant', () => {
  const { Event, ...schemas } = document.components.schemas
  const validate = compileRef('#/components/schemas/Event')
  const common = { id: 'evt_1', seq: 1, occurred_at: '2026-05-20T10:00:00Z', summary: 'One.' }
  const event = { ...common, nation_ids: [], alliance_ids: [], war_id: null, conflict_id: null, data: {} }
  const { mapping } = Object(Event?.discriminator)
  assert.deepEqual(
    Object(Event).oneOf,
    Object.values(mapping).map($ref => ({ $ref })),
  )
  for (const type of Object.keys(contract.eventKinds)) {
    assert.ok(!validate({ ...event, type }), type)
    const { properties } = Object(schemas[mapping[type].split('/').at(-1)])
    assert.equal(properties.type.const, type)
  }
  assert.deepEqual(validationErrors(validate, { ...event, type: 'later.kind' }), [])
})

test('every parameter has an example, unless it lists its values', () => {
  const operator = operatorOpenApiFor(contractFor(demoProfile))
  const described = [document, operator].flatMap(({ paths, webhooks, components }) => [
    ...[...Object.values(paths), ...Object.values(webhooks ?? {})].flatMap(methods =>
      Object.values(methods).flatMap(({ operationId, parameters }) =>
        parameters.flatMap(each => ('name' in each ? [{ ...each, place: operationId }] : [])),
      ),
    ),
    ...Object.values(components.parameters ?? {}).map(each => ({ ...each, place: 'components' })),
  ])
  assert.ok(described.length > 50)
  for (const { place, name, schema } of described) {
    assert.ok(schema.examples ?? schema.enum ?? schema.default, `${name} of ${place}`)
    for (const example of schema.examples ?? [])
      assert.deepEqual(validationErrors(compiler()(schema), example), [], `${name} of ${place}`)
  }
})

test('webhooks are described for one event, and for a test', () => {
  const [event, sent] = ['WebhookMessage', 'WebhookTestMessage'].map(name =>
    compileRef(`#/components/schemas/${name}`),
  )
  const [eventBody, testBody] = Object.values(document.webhooks ?? {}).map(({ post }) =>
    Object.values(post.requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value),
  )
  assert.ok(event && sent)
  assert.deepEqual(validationErrors(event, eventBody?.[0]), [])
  assert.deepEqual(validationErrors(sent, testBody?.[0]), [])
  assert.notDeepEqual(validationErrors(sent, eventBody?.[0]), [])
  assert.notDeepEqual(validationErrors(event, Object(eventBody?.[0]).data), [])
})

test('the security of an operation states whether it requires a key', () => {
  for (const { path, scope } of everyOperation) {
    const security = document.paths[path]?.get.security
    assert.deepEqual(security, scope === 'none' ? [{}, { bearer: [] }] : [{ bearer: [] }], path)
  }
})

test('the public document does not mention fields of the class admin_only', () => {
  for (const word of [
    'moderation_notes',
    'can_view_treasury',
    'admin_only',
    'AllianceApplication',
    hiddenWord,
  ]) {
    assert.ok(!written.includes(word), word)
  }
  for (const properties of valuesOf('properties', document.components.schemas)) {
    assert.ok(!('player' in Object(properties)))
  }
})

test('private fields are only in the schemas of the operations that return them', () => {
  const withPrivate = Object.entries(document.components.schemas)
    .filter(([, schema]) => /"x-class":"(player|alliance)_private"/.test(JSON.stringify(schema)))
    .map(([name]) => name)
  assert.deepEqual(withPrivate.sort(), ['AllianceWithTreasury', 'OwnNation'])
})

test('the document has the configured server address', () => {
  const { servers } = openApiFor(contract, { serverUrl: 'https://api.game.example' })
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['https://api.game.example/api/v1', 'https://api.game.example/api/public/v1'],
  )
})

test('the facts schema accepts valid facts and rejects invalid ones', () => {
  const validate = compiler()(factsSchema(contract))
  const accepted = [
    { op: 'put', resource: 'nation', data: { id: 'n1', player: 'p1', military: { readiness: 50 } } },
    { op: 'put', resource: 'war', data: { id: 'w1', attacker: { nation_id: 'n1' } } },
    { op: 'delete', resource: 'alliance_member', id: 'n1' },
    { op: 'commit', batch: 'day-1' },
    {
      op: 'event',
      data: {
        type: 'strategic_weapon.launched',
        occurred_at: '2026-05-20T10:00:00Z',
        data: { weapon: 'nuclear_missile', attacker_nation_id: 'n1', defender_nation_id: 'n2' },
      },
    },
  ]
  const refused = [
    { op: 'put', resource: 'nation', data: { nation_name: 'No id' } },
    { op: 'put', resource: 'nation', data: { id: 'n1', rank: 1 } },
    { op: 'put', resource: 'event', data: { id: 'e1' } },
    { op: 'event', data: { type: 'war.declared', occurred_at: '2026-05-20T10:00:00Z', data: {} } },
    { op: 'delete', resource: 'nation' },
  ]
  for (const fact of accepted) assert.deepEqual(validationErrors(validate, fact), [], JSON.stringify(fact))
  for (const fact of refused) assert.notDeepEqual(validationErrors(validate, fact), [], JSON.stringify(fact))
})

test('each member of a fact has its class in the facts schema', () => {
  const { $defs } = factsSchema(contract)
  for (const [name, schema] of Object.entries(Object($defs))) {
    if (!name.startsWith('Put')) continue
    const { properties } = Object(schema).properties.data
    for (const [field, member] of Object.entries(properties)) {
      assert.ok(Object(member)['x-class'], `${name}.${field}`)
    }
  }
})

test('a changed class changes one line of classes.lock', () => {
  const lines = (of: typeof profile) => classesLock(contractFor(of), everyOperation).split('\n')
  const promoted = structuredClone(profile)
  for (const attribute of promoted.attributes.nation) {
    if (attribute.key === hiddenWord) attribute.class = 'public'
  }
  const before = new Set(lines(profile))
  const after = lines(promoted)
  assert.equal(after.length, before.size)
  assert.deepEqual(
    after.filter(line => !before.has(line)),
    [`nation.attributes.${hiddenWord}  public  -`],
  )
})

const deprecated = { since: '2026-01-01T00:00:00Z', sunset: '2026-07-01T00:00:00Z' }
const notice = /Deprecated since 2026-01-01; it will be removed on 2026-07-01\.$/

test('the reference marks a deprecated operation and parameter, with the date of removal', () => {
  const { search } = operations.nationsList.parameters
  const parameters = { ...operations.nationsList.parameters, search: { ...search, deprecated } }
  const shown = openApiOperation(contract, { ...operations.nationsList, parameters, deprecated })
  assert.equal(shown.deprecated, true)
  assert.match(shown.description, notice)
  const described = shown.parameters.filter(parameter => 'name' in parameter)
  for (const { name, description, deprecated: isDeprecated } of described) {
    assert.equal(isDeprecated ?? false, name === 'search')
    assert.equal(notice.test(description), name === 'search')
  }
})

test('the reference marks a deprecated field, with the date of removal', () => {
  const old = publicField(text(9), { description: 'The old field.', example: 'x', deprecated })
  const { properties } = documented(
    strictObject({ old, current: publicField(text(9), { description: 'The current field.', example: 'x' }) }),
  )
  assert.equal(properties?.old?.deprecated, true)
  assert.match(properties?.old?.description ?? '', notice)
  assert.equal(properties?.current?.description, 'The current field.')
})

const resolvedOf = (value: object): unknown => ('$ref' in value ? resolveRef(document, value.$ref) : value)
