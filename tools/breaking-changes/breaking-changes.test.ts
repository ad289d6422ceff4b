import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findRelease, git } from './base.ts'
import { breakingChanges, breakingSection } from './breaking-changes.ts'
import { type Case, type Edit, publicCases } from './cases.ts'
import type { Document } from './document.ts'
import { operatorCases } from './operator-cases.ts'

const read = (name: string): Document =>
  JSON.parse(readFileSync(new URL(`../../contract/${name}`, import.meta.url), 'utf8'))
const published = { public: read('openapi.json'), operator: read('operator.openapi.json') }

/** Keywords that schema-changes.ts compares. A new keyword of a document must be added there, or to a list below. */
const compared = [
  '$ref type enum const default pattern format required uniqueItems contentMediaType',
  'minimum maximum minLength maxLength minItems maxItems minProperties',
  'x-decimals x-scope x-known-words-only discriminator',
].flatMap(line => line.split(' '))
/** Keywords that contain schemas, which are compared. */
const containers = ['properties', 'items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'contentSchema']
/** Keywords that only describe. `not` separates the variant of later types from the others. */
const annotations = [
  'not',
  'title',
  'description',
  'examples',
  'x-class',
  'x-rule',
  'x-further-rules',
  'x-unit',
]

/** The schemas of parameters, headers and bodies. */
function schemasIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'schema' ? [inner] : key === 'examples' ? [] : schemasIn(inner),
  )
}

function keywordsOf(schemas: unknown[], found = new Set<string>()): Set<string> {
  for (const schema of schemas) {
    if (typeof schema !== 'object' || schema === null) continue
    for (const [key, value] of Object.entries(schema)) {
      found.add(key)
      if (key === 'properties') keywordsOf(Object.values(value), found)
      else if (containers.includes(key)) keywordsOf([value].flat(), found)
    }
  }
  return found
}

/** The reports for one change of a published document. */
function reportsOf(document: Document, { given }: Case, edit: Edit): string[] {
  const before = structuredClone(document)
  given?.(before)
  const after = structuredClone(before)
  edit(after)
  assert.ok(JSON.stringify(after) !== JSON.stringify(before), 'the edit changes nothing')
  return breakingChanges(before, after).map(({ subject, change }) => `${subject}: ${change}`)
}

for (const [document, cases] of [
  [published.public, publicCases],
  [published.operator, operatorCases],
] as const)
  for (const [kind, each] of Object.entries(cases)) {
    const { breaks, reported, harmless } = each
    test(`reported: ${kind}`, () => {
      assert.deepEqual(reportsOf(document, each, breaks), [reported])
    })
    if (harmless)
      test(`not reported: the opposite of ${kind}`, () => {
        assert.deepEqual(reportsOf(document, each, harmless), [])
      })
  }

for (const [name, document] of Object.entries(published)) {
  test(`a document is compatible with itself (${name})`, () => {
    assert.deepEqual(breakingChanges(document, structuredClone(document)), [])
  })

  test(`each keyword of its schemas is compared, or only describes (${name})`, () => {
    const { schemas, ...shared } = document.components
    const keywords = keywordsOf([...Object.values(schemas ?? {}), ...schemasIn([document.paths, shared])])
    assert.deepEqual([...keywords.difference(new Set([...compared, ...containers, ...annotations]))], [])
  })
}

test('only entries after a version, and only under the heading Breaking, are read from the changelog', () => {
  const changelog =
    '## [Unreleased]\n\n### Added\n\n- `Nation`\n\n### Breaking\n\n- `War.reason` is gone.\n\n### Fixed\n\n- `Era`\n\n## [1.0.0]\n\n### Breaking\n\n- `Battle`\n'
  assert.equal(breakingSection(changelog, '1.0.0').trim(), '- `War.reason` is gone.')
  assert.match(breakingSection(changelog, '0.9.0'), /`War.reason` is gone[\s\S]*`Battle`/)
  assert.equal(breakingSection('## [Unreleased]\n\n### Added\n\n- `Nation`\n', '1.0.0'), '')
  assert.equal(breakingSection('\n## [1.0.0]\n\n### Breaking\n\n- `Battle`\n', '1.0.0'), '')
})

test('documents are compared with the newest release: its tag, else the commit of its heading in the changelog', t => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-release-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const run = (...words: string[]) =>
    git(folder, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...words)
  const commit = (changelog: string) => {
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
    run('add', '.')
    run('commit', '--message', 'Change')
    return run('rev-parse', 'HEAD')
  }
  run('init')
  commit('## [0.1.0]\n')
  assert.equal(findRelease(folder, '## [Unreleased]\n'), undefined)
  const second = commit('## [Unreleased]\n\n## [0.2.0]\n\n## [0.1.0]\n')
  const third = '## [Unreleased]\n\n- Added.\n\n## [0.2.0]\n\n## [0.1.0]\n'
  commit(third)
  assert.equal(findRelease(folder, third), second)
  run('tag', 'v0.3.0')
  assert.equal(findRelease(folder, third), 'v0.3.0')
})
