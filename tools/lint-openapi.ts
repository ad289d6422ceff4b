/** Holds the OpenAPI documents against the rules of Redocly, and ours. Exits 1, naming everything that they find. */
import { readFileSync } from 'node:fs'
import { findings } from './lint-openapi/findings.ts'

for (const name of ['openapi.json', 'operator.openapi.json']) {
  const text = readFileSync(new URL(`../contract/${name}`, import.meta.url), 'utf8')
  for (const finding of await findings(JSON.parse(text))) {
    console.error(`contract/${name}: ${finding}`)
    process.exitCode = 1
  }
}
