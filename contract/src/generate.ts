import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { classesLock } from './classes-lock.ts'
import { contractFor, factResources, primaryKeys } from './contract.ts'
import { requiredMembers } from './facts.ts'
import { factsSchema } from './facts-schema.ts'
import { operatorOpenApiFor } from './openapi/operator.ts'
import { openApiFor } from './openapi/public.ts'
import { demoProfile } from './profile/demo.ts'
import { operations } from './public/index.ts'
import { redactableFields, redactableResources } from './text-origin.ts'

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

const words = (names: readonly string[]) => names.map(name => `\`${name}\``).join(', ')

/** Tables of the guides, after the comment with their name. */
const tables: Record<string, Record<string, string[][]>> = {
  'what-to-send': {
    needed: [
      ['Resource', 'Required for a new item'],
      ...factResources.map(name => {
        const fields = Object.entries(requiredMembers(contract.resources[name])).flatMap(
          ([field, members]) => (members.length > 0 ? members.map(member => `${field}.${member}`) : [field]),
        )
        return [words([name]), words([...new Set([primaryKeys[name], ...fields])])]
      }),
    ],
  },
  'moderation-and-erasure': {
    redactable: [
      ['Resource', 'Texts that can be replaced'],
      ...redactableResources.map(name => [words([name]), words(redactableFields[name])]),
    ],
  },
}

for (const [guide, named] of Object.entries(tables)) {
  const name = `../docs/game/${guide}.md`
  files[name] = Object.entries(named).reduce(
    (text, [mark, rows]) =>
      text.replace(new RegExp(`(<!-- ${mark} -->\n\n)(?:\\|.*\n)*`), `$1${tableOf(rows)}`),
    readFileSync(join(folder, name), 'utf8'),
  )
}

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

/** A table whose columns are as wide as their longest cell. */
function tableOf([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, index) => Math.max(...[head, ...rows].map(row => row[index]?.length ?? 0)))
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`
  return [head, widths.map(width => '-'.repeat(width)), ...rows].map(line).join('')
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
