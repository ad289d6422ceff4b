import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../src/index.ts'

/** Compiles schemas with an independent validator; they may refer to `definitions`. */
export function compiler(definitions: Record<string, object> = {}) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const [id, schema] of Object.entries(definitions)) ajv.addSchema(schema, id)
  return (schema: object): ValidateFunction => ajv.compile(schema)
}

/** Validation errors of a value, as sentences. */
export const validationErrors = (validate: ValidateFunction, value: unknown): string[] =>
  validate(value) ? [] : (validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`)

/** All values of members called `key`, at any depth. */
export function valuesOf(key: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ])
}

/** The target of a reference within a document; undefined for a broken one. */
export function resolveRef(document: object, ref: unknown): unknown {
  assert.match(String(ref), /^#\//)
  const steps = String(ref).slice(2).split('/')
  return steps.reduce<unknown>((inside, step) => Object(inside)[step.replaceAll('~1', '/')], document)
}

/** The same schema with its references into the document that is registered as `openapi`. */
export const withDocumentRefs = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))

/** Problems of a document: broken references, names that tools reject, invalid schemas and examples. */
export function documentProblems(document: OpenApiDocument): string[] {
  const problems: string[] = []
  const known = new Set(
    Object.entries<object>(document.components).flatMap(([kind, components]) =>
      Object.keys(components).map(name => `#/components/${kind}/${name}`),
    ),
  )
  for (const ref of refsIn(document)) if (!known.has(ref)) problems.push(`${ref} is a broken reference`)
  for (const name of known)
    if (!/^#\/components\/\w+\/[\w.-]+$/.test(name)) problems.push(`${name} is not a valid name`)

  const compile = compiler({ openapi: JSON.parse(JSON.stringify(document)) as object })
  const check = (validate: ValidateFunction, example: unknown, place: string) =>
    problems.push(...validationErrors(validate, example).map(error => `${place}: ${error}`))
  for (const [name, { examples = [] }] of Object.entries(document.components.schemas)) {
    const validate = compile({ $ref: `openapi#/components/schemas/${name}` })
    for (const example of examples) check(validate, example, name)
  }
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const json = 'content' in response ? response.content?.['application/json'] : undefined
      if (!json) continue
      const validate = compile(withDocumentRefs(json.schema))
      for (const { value } of Object.values(json.examples)) check(validate, value, `${path} ${status}`)
    }
  }
  for (const [name, { post }] of Object.entries(document.webhooks ?? {})) {
    const { schema, examples } = post.requestBody?.content['application/json'] ?? { schema: {}, examples: {} }
    const validate = compile(withDocumentRefs(schema))
    for (const { value } of Object.values(examples)) check(validate, value, name)
  }
  return problems
}

/** Targets of references: a member called `$ref` with a text; examples may contain anything. */
function refsIn(within: unknown, name = ''): string[] {
  if (typeof within !== 'object' || within === null || name === 'examples') return []
  return Object.entries(within).flatMap(([member, inner]) =>
    member === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner, member),
  )
}
