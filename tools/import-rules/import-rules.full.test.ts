import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { forbidden } from '../../.dependency-cruiser.ts'
import { type Cruise, cruiseTree, sourceFiles } from './cruise-tree.ts'
import { fixtures } from './fixtures.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const ruleNames = forbidden.flatMap(({ name }) => name ?? [])

/** Writes a fixture below this folder, where packages resolve, and checks it. */
async function cruiseFixture(rule: string): Promise<Cruise> {
  const directory = mkdtempSync(fileURLToPath(new URL('tree-', import.meta.url)))
  const write = (file: string, lines: string[]) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), [...lines, "export const name = 'x'", ''].join('\n'))
  }
  const tree = fixtures[rule] ?? {}
  const isFile = (imported: string) => imported.endsWith('.ts')
  try {
    for (const imported of Object.values(tree).flat())
      if (isFile(imported)) write(imported.replace(/^(type|await) /, ''), [])
    for (const [file, imports] of Object.entries(tree)) {
      const lines = imports.map(text => {
        const [, kind, imported = ''] = /^(?:(type|await) )?(.*)$/.exec(text) ?? []
        const path = isFile(imported) ? relative(dirname(file), imported) : imported
        const specifier = isFile(imported) && !path.startsWith('.') ? `./${path}` : path
        if (kind === 'await') return `export const load = () => import('${specifier}')`
        return kind === 'type' ? `import type { name as other } from '${specifier}'` : `import '${specifier}'`
      })
      write(file, lines)
    }
    return await cruiseTree(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe('a tree that breaks a rule', () => {
  for (const rule of ruleNames)
    test(`fails by ${rule} alone`, async () => {
      const { violations } = await cruiseFixture(rule)
      assert.deepEqual([...new Set(violations.map(violation => violation.rule))], [rule])
    })
})

test('every fixture belongs to a rule', () => {
  assert.deepEqual(Object.keys(fixtures).sort(), [...ruleNames].sort())
})

test('an allowed import beside a forbidden one is allowed', async () => {
  const { violations } = await cruiseFixture('ingest-imports-apply-and-events')
  assert.deepEqual(
    violations.map(({ to }) => to),
    ['server/src/resources/nations/store.ts'],
  )
})

test('the client may import types of the contract', async () => {
  const { violations } = await cruiseFixture('client-imports-nothing-of-ours-at-run-time')
  assert.equal(violations.filter(({ from }) => from.startsWith('client/')).length, 1)
})

test('every TypeScript file of the repository is read, with its imports', async () => {
  const { modules, edges } = await cruiseTree(root)
  const files = sourceFiles(root)
  assert.ok(files.length > 100, `git lists ${files.length} files`)
  assert.deepEqual(
    files.filter(file => !modules.includes(file)),
    [],
  )
  assert.ok(edges > files.length, `${edges} imports in ${files.length} files`)
})
