import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { classesLock } from './classes-lock.ts'
import { contractFor } from './contract.ts'
import { factsSchema } from './facts-schema.ts'
import { operatorOpenApiFor } from './openapi/operator.ts'
import { openApiFor } from './openapi/public.ts'
import { demoProfile } from './profile/demo.ts'
import { operations } from './public/index.ts'

/** Writes the files that are generated from the contract. With --check: reports each file that differs and exits with 1. */

const contract = contractFor(demoProfile)
const asJson = (document: object) => `${JSON.stringify(document, null, 2)}\n`

const files: Record<string, string> = {
  'openapi.json': asJson(openApiFor(contract)),
  'operator.openapi.json': asJson(operatorOpenApiFor(contract)),
  'facts.schema.json': asJson(factsSchema(contract)),
  'classes.lock': classesLock(contract, Object.values(operations)),
}

const folder = join(import.meta.dirname, '..')
for (const [name, content] of Object.entries(files)) {
  const path = join(folder, name)
  const shown = relative(process.cwd(), path)
  if (!process.argv.includes('--check')) {
    writeFileSync(path, content)
  } else if (readIfExists(path) !== content) {
    console.error(
      `${shown} differs from the contract: run node ${relative(process.cwd(), import.meta.filename)}`,
    )
    process.exitCode = 1
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
