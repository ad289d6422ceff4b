/** Lints the OpenAPI documents by the rules of Redocly, and ours. Exits 1 and prints each problem. */
import { readFileSync } from 'node:fs'
import { lintProblems } from './lint-openapi/lint.ts'

for (const name of ['openapi.json', 'operator.openapi.json']) {
  const text = readFileSync(new URL(`../contract/${name}`, import.meta.url), 'utf8')
  for (const finding of await lintProblems(JSON.parse(text))) {
    console.error(`contract/${name}: ${finding}`)
    process.exitCode = 1
  }
}
