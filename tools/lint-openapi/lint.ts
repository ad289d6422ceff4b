import { createConfig, lintFromString, type Oas3Rule } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { rules } from './rules.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Reports a schema that is not valid JSON Schema, and a default that its own schema does not allow. */
const validSchema: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    const { default: value, ...rest } = schema
    if (!ajv.validateSchema(rest)) report({ message: ajv.errorsText(), location })
    else if (value !== undefined && !allows(rest, value))
      report({ message: 'The schema does not allow its default.', location: location.child('default') })
  },
})

/** False also for a schema that refers to another: a default is next to the $ref. */
function allows(schema: object, value: unknown): boolean {
  return !JSON.stringify(schema).includes('"$ref"') && ajv.compile(schema)(value)
}

const config = await createConfig({
  extends: ['recommended-strict'],
  plugins: [{ id: 'chancery', rules: { oas3: { 'valid-schema': validSchema } } }],
  rules,
})

/** The problems that Redocly reports in an OpenAPI document, a line each; warnings count as errors. */
export async function lintProblems(document: object): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  })
  return problems.map(({ ruleId, message, location: [place] }) => {
    const [line = ''] = message.split('\n')
    return `${ruleId}: ${line} (${place?.pointer ?? '#/'})`
  })
}
