import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  demoProfile,
  factResources,
  hasRole,
  type OperatorOperation,
  operatorErrors,
  operatorOpenApiFor,
  operatorOperations,
  operatorRoleNames,
} from '../src/index.ts'
import { plainSchema } from '../src/json-schema.ts'
import { compiler, complaints } from './compile.ts'

const document = operatorOpenApiFor(contractFor(demoProfile))
const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
const compile = compiler({ openapi: document })
const compilePlain = compiler()

/** Every value under `key`, wherever it stands. */
function valuesOf(key: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ])
}

const resolve = (ref: unknown): unknown =>
  String(ref)
    .slice(2)
    .split('/')
    .reduce<unknown>((inside, step) => Object(inside)[step], document)

/** A part of the document whose references lead into the whole. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))

interface Content {
  schema: { contentSchema?: object }
  examples: Record<string, { value: unknown }>
}
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

test('every operation of the operator API is in its document once', () => {
  const names = documented.map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`)
  assert.deepEqual(
    names.toSorted(),
    everyOperation.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted(),
  )
  assert.equal(new Set(everyOperation.map(({ id }) => id)).size, everyOperation.length)
})

test('every parameter of a path is described', () => {
  for (const { path, operation } of documented) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const parameters = operation.parameters.flatMap(parameter => ('$ref' in parameter ? [] : [parameter]))
    assert.equal(parameters.length, operation.parameters.length)
    const described = parameters.filter(parameter => parameter.in === 'path')
    assert.deepEqual(
      described.map(({ name }) => name),
      inPath,
      path,
    )
    for (const parameter of parameters) assert.ok(parameter.description, `${path} ${parameter.name}`)
  }
})

test('every reference leads somewhere, and every component is used', () => {
  const refs = valuesOf('$ref', document)
  assert.ok(refs.length > 100)
  for (const ref of refs) assert.notEqual(resolve(ref), undefined, String(ref))
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components))
      assert.ok(refs.includes(`#/components/${kind}/${name}`), `${kind}/${name} is not used`)
  }
})

test('every example is valid for what it is an example of', () => {
  let checked = 0
  const check = (content: Record<string, Content> | undefined, what: string) => {
    for (const [type, { schema, examples }] of Object.entries(content ?? {})) {
      // Lines are one text: what each of them is stands beside.
      const validate = compile(absolute(schema.contentSchema ?? schema))
      // Nobody reads the bytes of an archive.
      assert.ok(Object.keys(examples).length > 0 || type === 'application/gzip', what)
      for (const { value } of Object.values(examples)) {
        const values =
          type === 'application/x-ndjson'
            ? String(value)
                .trimEnd()
                .split('\n')
                .map(line => JSON.parse(line))
            : [value]
        for (const each of values) assert.deepEqual(complaints(validate, each), [], `${what} ${type}`)
        checked += values.length
      }
    }
  }
  for (const { method, path, operation } of documented) {
    check(operation.requestBody?.content as Record<string, Content>, `${method} ${path}`)
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content } = '$ref' in response ? Object(resolve(response.$ref)) : response
      check(content, `${method} ${path} ${status}`)
    }
  }
  assert.ok(checked > 200)
})

test('examples of answers say nothing that their schema does not name', () => {
  for (const { id, responses: answers } of everyOperation) {
    for (const { content } of Object.values(answers)) {
      const json = content['application/json']
      if (!json) continue
      const validate = compilePlain(plainSchema(json.schema))
      for (const example of Object.values(json.examples))
        assert.deepEqual(complaints(validate, example), [], id)
    }
  }
})

test('every fact of the profile is in the document, and a batch has no commit', () => {
  const { schemas } = document.components
  const facts = schemas.Fact?.anyOf as object[]
  assert.ok(facts.length > factResources.length)
  const validate = {
    line: compile({ $ref: 'openapi#/components/schemas/Fact' }),
    batch: compile({ $ref: 'openapi#/components/schemas/BatchFact' }),
  }
  const commit = { op: 'commit', batch: 'b1' }
  assert.deepEqual(complaints(validate.line, commit), [])
  assert.notDeepEqual(complaints(validate.batch, commit), [])
  const deletion = { op: 'delete', resource: 'nation', id: 'n1' }
  assert.deepEqual(complaints(validate.batch, deletion), [])
  assert.notDeepEqual(complaints(validate.line, { ...deletion, whatever: 1 }), [])
})

test('admin opens everything, and every other role what it names alone', () => {
  for (const { id, roles } of everyOperation) {
    for (const role of operatorRoleNames)
      assert.equal(hasRole(new Set([role]), roles), role === 'admin' || roles.includes(role), `${role} ${id}`)
    assert.equal(hasRole(new Set(), roles), false)
  }
})

test('every operation says which errors it may answer, and each has a status of its own', () => {
  for (const { path, operation } of documented)
    for (const status of ['400', '401', '403', '500', '503'])
      assert.ok(status in operation.responses, `${path} ${status}`)
  const statuses = Object.values(operatorErrors).map(({ status }) => status)
  assert.equal(new Set(statuses).size, statuses.length)
})

test('how Chancery makes a field is not in the document', () => {
  const written = JSON.stringify(document)
  for (const word of ['x-derived', 'x-input', 'x-facts', '~kind', '"title":"Key"'])
    assert.ok(!written.includes(word), word)
})
