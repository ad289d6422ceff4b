/** Writes the client's types and methods from the contract, and the types of facts that the tests of @chancery/game use. With --check: reports each file that differs and exits with 1. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contractFor, demoProfile, factTypes } from '@chancery/contract'
import { apiTypes } from './api-types.ts'
import { mirroredText } from './mirrored.ts'
import { limitsText, operationsText } from './operations.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = {
  'client/src/api-types.ts': apiTypes,
  'client/src/limits.ts': limitsText,
  'client/src/mirrored.ts': mirroredText,
  'client/src/operations.ts': operationsText,
  'game/test/meridian-facts.ts': () => factTypes(contractFor(demoProfile)),
}

for (const [file, text] of Object.entries(files)) {
  const path = join(root, file)
  const content = formatted(path, text())
  if (!process.argv.includes('--check')) {
    writeFileSync(path, content)
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== content) {
    console.error(`${relative(process.cwd(), path)} differs from the contract: run npm run generate`)
    process.exitCode = 1
  }
}

function formatted(path: string, text: string): string {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['format', `--stdin-file-path=${path}`],
    { cwd: root, input: text, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`biome failed to format ${path}: ${stderr}`)
  return stdout
}
