import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { forbidden } from '../../.dependency-cruiser.ts'
import { cruiseTree } from './cruise-tree.ts'
import { sourceFiles } from './source-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const ruleNames = forbidden.flatMap(({ name }) => name ?? [])
const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))

describe('a tree that breaks a rule', () => {
  for (const rule of ruleNames) {
    test(`fails by ${rule} alone`, async () => {
      const { violations } = await cruiseTree(`${fixtures}${rule}`)
      assert.deepEqual([...new Set(violations.map(violation => violation.rule))], [rule])
    })
  }
})

test('every fixture belongs to a rule', () => {
  assert.deepEqual(readdirSync(fixtures).sort(), [...ruleNames].sort())
})

test('what a rule allows beside what it forbids is allowed', async () => {
  const { violations } = await cruiseTree(`${fixtures}ingest-imports-apply-and-events`)
  assert.deepEqual(
    violations.map(({ to }) => to),
    ['server/src/resources/nations/store.ts'],
  )
})

test('of the contract, the client may import types', async () => {
  const { violations } = await cruiseTree(`${fixtures}client-imports-nothing-of-ours-at-run-time`)
  assert.equal(violations.length, 1)
})

test('every TypeScript file of the repository is read, with what it imports', async () => {
  const { modules, edges } = await cruiseTree(root)
  const files = sourceFiles(root)
  assert.ok(files.length > 100, `git names ${files.length} files`)
  assert.deepEqual(
    files.filter(file => !modules.includes(file)),
    [],
  )
  assert.ok(edges > files.length, `${edges} imports in ${files.length} files`)
})
