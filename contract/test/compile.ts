import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Compiles schemas as a stranger's validator would; `definitions` are what they may refer to. */
export function compiler(definitions: Record<string, object> = {}) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const [id, schema] of Object.entries(definitions)) ajv.addSchema(schema, id)
  return (schema: object): ValidateFunction => ajv.compile(schema)
}

/** What a schema has against a value, as sentences. */
export function complaints(validate: ValidateFunction, value: unknown): string[] {
  return validate(value) ? [] : (validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`)
}
