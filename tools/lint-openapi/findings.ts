import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** Every rule of Spectral for OpenAPI, also those that it does not recommend; but these. */
const spectralOff = {
  // Tags are the chapters of the reference, in the order in which they are read.
  'openapi-tags-alphabetical': 'off',
  // A game need not have a home page, and Chancery knows no mail address of it.
  'contact-properties': 'off',
} as const

/** What Redocly and Spectral have against an OpenAPI document, a line each; warnings count like errors. */
export async function findings(document: object): Promise<string[]> {
  return [...(await redoclyFindings(document)), ...(await spectralFindings(document))]
}

async function redoclyFindings(document: object): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended-strict'] }),
  })
  return problems.map(({ ruleId, message, location: [place] }) => {
    const [line = ''] = message.split('\n')
    return `redocly ${ruleId}: ${line} (${place?.pointer ?? '#/'})`
  })
}

async function spectralFindings(document: object): Promise<string[]> {
  const spectral = new Spectral()
  // Its rules and its core disagree about the type of rules, and of nothing else.
  const rules: unknown = oas
  spectral.setRuleset({ extends: [[rules as RulesetDefinition, 'all']], rules: spectralOff })
  const problems = await spectral.run(structuredClone(document) as Record<string, unknown>)
  return problems.map(({ code, message, path }) => `spectral ${code}: ${message} (${path.join('/')})`)
}
