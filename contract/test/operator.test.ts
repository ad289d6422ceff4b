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
import { compiler, resolveRef, validationErrors, withDocumentRefs } from './validation.ts'

const document = operatorOpenApiFor(contractFor(demoProfile))
const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
const compile = compiler({ openapi: document })
const compilePlain = compiler()

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

test('every parameter of an operator operation is described', () => {
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

test('every example of the operator document is valid for its schema', () => {
  let checked = 0
  const check = (content: Record<string, Content> | undefined, what: string) => {
    for (const [type, { schema, examples }] of Object.entries(content ?? {})) {
      // The lines are one text; contentSchema describes a line.
      const validate = compile(withDocumentRefs(schema.contentSchema ?? schema))
      // The bytes of an archive have no example.
      assert.ok(Object.keys(examples).length > 0 || type === 'application/gzip', what)
      for (const { value } of Object.values(examples)) {
        const values =
          type === 'application/x-ndjson'
            ? String(value)
                .trimEnd()
                .split('\n')
                .map(line => JSON.parse(line))
            : [value]
        for (const each of values) assert.deepEqual(validationErrors(validate, each), [], `${what} ${type}`)
        checked += values.length
      }
    }
  }
  for (const { method, path, operation } of documented) {
    check(operation.requestBody?.content as Record<string, Content>, `${method} ${path}`)
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content } = '$ref' in response ? Object(resolveRef(document, response.$ref)) : response
      check(content, `${method} ${path} ${status}`)
    }
  }
  assert.ok(checked > 200)
})

test('examples of operator responses have no members outside their schema', () => {
  for (const { id, responses } of everyOperation) {
    for (const { content } of Object.values(responses)) {
      const json = content['application/json']
      if (!json) continue
      const validate = compilePlain(plainSchema(json.schema))
      for (const example of Object.values(json.examples))
        assert.deepEqual(validationErrors(validate, example), [], id)
    }
  }
})

test('the operator document has every fact of the profile, and no commit in a JSON batch', () => {
  const { schemas } = document.components
  const facts = schemas.Fact?.anyOf as object[]
  assert.ok(facts.length > factResources.length)
  const validate = {
    line: compile({ $ref: 'openapi#/components/schemas/Fact' }),
    batch: compile({ $ref: 'openapi#/components/schemas/BatchFact' }),
  }
  const commit = { op: 'commit', batch: 'b1' }
  assert.deepEqual(validationErrors(validate.line, commit), [])
  assert.notDeepEqual(validationErrors(validate.batch, commit), [])
  const deletion = { op: 'delete', resource: 'nation', id: 'n1' }
  assert.deepEqual(validationErrors(validate.batch, deletion), [])
  assert.notDeepEqual(validationErrors(validate.line, { ...deletion, unknown: 1 }), [])
})

test('the role admin may call every operation, another role only those that list it', () => {
  for (const { id, roles } of everyOperation) {
    for (const role of operatorRoleNames)
      assert.equal(hasRole(new Set([role]), roles), role === 'admin' || roles.includes(role), `${role} ${id}`)
    assert.equal(hasRole(new Set(), roles), false)
  }
})

test('every operator operation lists its errors, and each error code has its own status', () => {
  for (const { path, operation } of documented)
    for (const status of ['400', '401', '403', '500', '503'])
      assert.ok(status in operation.responses, `${path} ${status}`)
  const statuses = Object.values(operatorErrors).map(({ status }) => status)
  assert.equal(new Set(statuses).size, statuses.length)
})
