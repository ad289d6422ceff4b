import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classesLock } from '../src/classes-lock.ts'
import { factsSchema } from '../src/facts-schema.ts'
import { contractFor, demoProfile, type Operation, openApiFor, operations } from '../src/index.ts'
import { compiler, complaints } from './compile.ts'

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

/** Every value under `key`, wherever it stands. */
function valuesOf(key: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ])
}

const resolve = (ref: unknown): unknown => {
  assert.match(String(ref), /^#\//)
  return String(ref)
    .slice(2)
    .split('/')
    .reduce<unknown>((inside, step) => Object(inside)[step.replaceAll('~1', '/')], document)
}

/** A component, compiled together with everything that it refers to. */
const compile = compiler({ openapi: document })
const compileRef = (ref: string) => compile({ $ref: `openapi${ref}` })

test('every reference leads somewhere', () => {
  const refs = valuesOf('$ref', document)
  assert.ok(refs.length > 100)
  for (const ref of refs) assert.notEqual(resolve(ref), undefined, String(ref))
})

test('every operation is in the document once, with its parameters, and is one of a known tag', () => {
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

test('every component is a schema, and is used', () => {
  const refs = new Set(valuesOf('$ref', document))
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) {
      assert.ok(refs.has(`#/components/${kind}/${name}`), `${kind}/${name} is not used`)
      if (kind === 'schemas') compileRef(`#/components/schemas/${name}`)
    }
  }
})

test('every example of an answer is valid for its schema', () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const answers = Object(resolvedOf(response)).content?.['application/json']
      if (!answers) continue
      const validate = compile(absolute(answers.schema))
      for (const example of Object.values<{ value: unknown }>(answers.examples)) {
        assert.deepEqual(complaints(validate, example.value), [], `${path} ${status}`)
      }
    }
  }
})

test('the example of an event is valid for its kind, and so is one of a kind yet unknown', () => {
  const validate = compileRef('#/components/schemas/Event')
  const event = Object.fromEntries(
    Object.entries(contract.resources.event.fields).map(([field, { examples }]) => [field, examples[0]]),
  )
  assert.deepEqual(complaints(validate, event), [])
  assert.deepEqual(complaints(validate, { ...event, type: 'later.kind', data: { new: true } }), [])
  const { war_id: _, ...incomplete } = event
  assert.notDeepEqual(complaints(validate, incomplete), [])
})

test('what an operation needs is in its security', () => {
  for (const { path, scope } of everyOperation) {
    const security = document.paths[path]?.get.security
    assert.deepEqual(security, scope === 'none' ? [{}, { bearer: [] }] : [{ bearer: [] }], path)
  }
})

test('the document does not even name what is for admins only', () => {
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

test('private fields are documented in the schemas of their own operations only', () => {
  const withPrivate = Object.entries(document.components.schemas)
    .filter(([, schema]) => /"x-class":"(player|alliance)_private"/.test(JSON.stringify(schema)))
    .map(([name]) => name)
  assert.deepEqual(withPrivate.sort(), ['AllianceWithTreasury', 'OwnNation'])
})

test('how Chancery makes a field is not in the document', () => {
  for (const word of ['x-derived', 'x-input', '~kind']) assert.ok(!written.includes(word), word)
})

test('the server’s address is the one given', () => {
  const { servers } = openApiFor(contract, { serverUrl: 'https://api.game.example' })
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['https://api.game.example/api/v1', 'https://api.game.example/api/public/v1'],
  )
})

test('the facts schema takes what a game sends, and refuses what it may not', () => {
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
  for (const fact of accepted) assert.deepEqual(complaints(validate, fact), [], JSON.stringify(fact))
  for (const fact of refused) assert.notDeepEqual(complaints(validate, fact), [], JSON.stringify(fact))
})

test('each member of a fact keeps its class', () => {
  const { $defs } = factsSchema(contract)
  for (const [name, schema] of Object.entries(Object($defs))) {
    if (!name.startsWith('Put')) continue
    const { properties } = Object(schema).properties.data
    for (const [field, member] of Object.entries(properties)) {
      assert.ok(Object(member)['x-class'], `${name}.${field}`)
    }
  }
})

test('a changed class is one changed line', () => {
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

const resolvedOf = (value: object): unknown => ('$ref' in value ? resolve(value.$ref) : value)

/** The same schema with its references into the registered document. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))
