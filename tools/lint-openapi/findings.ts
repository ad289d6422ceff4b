import { createConfig, lintFromString } from '@redocly/openapi-core'
import { rules } from './rules.ts'
import { validSchema } from './valid-schema.ts'

const config = await createConfig({
  extends: ['recommended-strict'],
  plugins: [{ id: 'chancery', rules: { oas3: { 'valid-schema': validSchema } } }],
  rules,
})

/** What Redocly reports about an OpenAPI document, a line each; warnings count like errors. */
export async function findings(document: object): Promise<string[]> {
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
