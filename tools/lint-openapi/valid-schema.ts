import type { Oas3Rule } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Reports a schema that is not valid JSON Schema, and a default that its own schema does not allow. */
export const validSchema: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    const { default: value, ...rest } = schema
    if (!ajv.validateSchema(rest)) report({ message: ajv.errorsText(), location })
    else if (value !== undefined && !allows(rest, value))
      report({ message: 'The default is not of its schema.', location: location.child('default') })
  },
})

/** False also for a schema that refers to another: a default stands beside what it is a default of. */
function allows(schema: object, value: unknown): boolean {
  return !JSON.stringify(schema).includes('"$ref"') && ajv.compile(schema)(value)
}
