import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { breakingChanges } from './breaking-changes.ts'
import type { Case } from './cases/case.ts'
import { operations, parameters } from './cases/operations.ts'
import { requestBodies } from './cases/request-bodies.ts'
import { responses } from './cases/responses.ts'
import { breakingSection } from './changelog.ts'
import type { Document } from './document.ts'
import type { Edit } from './edit.ts'

const read = (name: string): Document =>
  JSON.parse(readFileSync(new URL(`../../contract/${name}`, import.meta.url), 'utf8'))
const published = { public: read('openapi.json'), operator: read('operator.openapi.json') }

/** Keywords of schemas that schema-changes.ts compares: a keyword that a document begins to use belongs there, or below. */
const compared = [
  '$ref type enum const default pattern format required uniqueItems contentMediaType',
  'minimum maximum minLength maxLength minItems maxItems minProperties',
  'x-decimals x-scope x-known-words-only',
].flatMap(line => line.split(' '))
/** Of these it compares the schemas that they hold. */
const holding = ['properties', 'items', 'anyOf', 'additionalProperties', 'contentSchema']
/** Keywords that describe, and break nothing. */
const annotations = ['title', 'description', 'examples', 'x-class', 'x-rule', 'x-unit']

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
      else if (holding.includes(key)) keywordsOf([value].flat(), found)
    }
  }
  return found
}

/** The reports for one change of a published document. */
function reported({ document, given }: Case, edit: Edit): string[] {
  const before = given ? structuredClone(published[document]) : published[document]
  given?.(before)
  const after = structuredClone(before)
  edit(after)
  assert.ok(JSON.stringify(after) !== JSON.stringify(before), 'the edit changes nothing')
  return breakingChanges(before, after).map(({ subject, change }) => `${subject}: ${change}`)
}

for (const each of [...operations, ...parameters, ...requestBodies, ...responses]) {
  test(`it is reported that ${each.kind}`, () => {
    assert.deepEqual(reported(each, each.breaks), each.reported)
  })
  if (each.harmless) {
    const { harmless } = each
    test(`the opposite is not reported: ${each.kind}`, () => {
      assert.deepEqual(reported(each, harmless), [])
    })
  }
}

for (const [name, document] of Object.entries(published)) {
  test(`a document is compatible with itself (${name})`, () => {
    assert.deepEqual(breakingChanges(document, structuredClone(document)), [])
  })

  test(`each keyword of its schemas is compared, or is known to break nothing (${name})`, () => {
    const { schemas, ...shared } = document.components
    const keywords = keywordsOf([...Object.values(schemas ?? {}), ...schemasIn([document.paths, shared])])
    assert.deepEqual([...keywords.difference(new Set([...compared, ...holding, ...annotations]))], [])
  })
}

test('only what came after a version, and only under its heading, counts as said', () => {
  const changelog =
    '## [Unreleased]\n\n### Added\n\n- `Nation`\n\n### Breaking\n\n- `War.reason` is gone.\n\n### Fixed\n\n- `Era`\n\n## [1.0.0]\n\n### Breaking\n\n- `Battle`\n'
  assert.equal(breakingSection(changelog, '1.0.0').trim(), '- `War.reason` is gone.')
  assert.match(breakingSection(changelog, '0.9.0'), /`War.reason` is gone[\s\S]*`Battle`/)
  assert.equal(breakingSection('## [Unreleased]\n\n### Added\n\n- `Nation`\n', '1.0.0'), '')
  assert.equal(breakingSection('\n## [1.0.0]\n\n### Breaking\n\n- `Battle`\n', '1.0.0'), '')
})
