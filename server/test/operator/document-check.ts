import assert from 'node:assert/strict'
import type { contractFor } from '@chancery/contract'
import { operatorOpenApiFor } from '@chancery/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Described {
  content?: Record<string, { schema: object }>
  $ref?: string
}

/** Compares responses with the OpenAPI document of the operator API. */
export function createDocumentCheck(contract: ReturnType<typeof contractFor>) {
  const document = closed(operatorOpenApiFor(contract))
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const validators = new Map<object, ValidateFunction>()
  const seen = new Set<string>()

  const compile = (schema: object): ValidateFunction => {
    const known = validators.get(schema)
    if (known) return known
    const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')))
    validators.set(schema, made)
    return made
  }

  return {
    document,
    /** Operations and statuses that were compared, as `POST /keys 201`. */
    seen,
    /** Fails if a response differs from the document for its operation and status. Returns its body. */
    async check<T = unknown>(method: string, path: string, response: Response): Promise<T> {
      const { status } = response
      const what = `${method} ${path} ${status}`
      const text = await response.text()
      const operation = document.paths[path]?.[method.toLowerCase()]
      assert.ok(operation, `${what} is not in the document`)
      let described = operation.responses[status] as Described | undefined
      assert.ok(described, `${what} is not in the document: ${text.slice(0, 300)}`)
      if (described.$ref)
        described = Object(document.components.responses)[described.$ref.split('/').at(-1) ?? ''] as Described
      const type = response.headers.get('content-type')?.split(';')[0] ?? ''
      const content = described.content?.[type]
      assert.ok(content, `${what}: ${type} is not in the document`)
      const isLines = type === 'application/x-ndjson'
      const values: unknown[] = isLines
        ? text
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line))
        : [type === 'application/json' ? JSON.parse(text) : text]
      // The document describes a stream as one text, and its lines separately.
      const { contentSchema = content.schema } = content.schema as { contentSchema?: object }
      const validate = compile(contentSchema)
      for (const value of values)
        assert.ok(
          validate(value),
          `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 500)}`,
        )
      seen.add(what)
      return values[0] as T
    },
  }
}

/** The same document with every object closed, so that a member which it does not name is noticed. */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]))
  const isObjectSchema =
    typeof copy.properties === 'object' &&
    [copy.type].flat().includes('object') &&
    copy.additionalProperties === undefined
  return (isObjectSchema ? { ...copy, additionalProperties: false } : copy) as T
}
