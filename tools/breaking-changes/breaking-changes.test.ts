import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, openApiFor } from '@chancery/contract'
import { breakingSection } from './changelog.ts'
import { breakingChanges, type Document } from './find.ts'

const promised = openApiFor(contractFor(demoProfile)) as unknown as Document

/** What is found where one thing of the document is changed. */
function found(change: (document: Document) => void): string[] {
  const after = structuredClone(promised)
  change(after)
  return breakingChanges(promised, after).map(({ subject, change: what }) => `${subject}: ${what}`)
}

const nation = ({ components }: Document) =>
  components.schemas.Nation as Required<Document['components']['schemas'][string]>
const list = ({ paths }: Document) => paths['/nations']?.get as NonNullable<Document['paths'][string]>['get']
const parameter = (document: Document, name: string) => {
  const known = list(document).parameters?.find(each => 'name' in each && each.name === name)
  assert.ok(known && 'schema' in known)
  return known
}

test('nothing has changed between a document and itself', () => {
  assert.deepEqual(
    found(() => {}),
    [],
  )
})

test('what is new breaks nothing', () => {
  const changes = found(document => {
    nation(document).properties.brand_new = { type: 'string' }
    nation(document).required.push('brand_new')
    nation(document).properties.status?.enum?.push('dreaming')
    document.paths['/new'] = { get: { operationId: 'new', responses: {} } }
    document.components.schemas.New = { type: 'object' }
    list(document).parameters?.push({ name: 'new', in: 'query', schema: { type: 'string' } })
    parameter(document, 'limit').schema.maximum = 500
    parameter(document, 'status').schema.enum?.push('dreaming')
  })
  assert.deepEqual(changes, [])
})

const breaks: [name: string, change: (document: Document) => void, expected: string][] = [
  [
    'an operation is gone',
    ({ paths }) => void delete paths['/nations'],
    'nations.list: GET /nations is no longer there',
  ],
  [
    'an operation has another id',
    document => {
      list(document).operationId = 'nations.all'
    },
    'nations.list: is now called nations.all',
  ],
  [
    'an operation needs a scope',
    document => {
      list(document)['x-scope'] = 'nation.read'
    },
    'nations.list: it needs nation.read, not none',
  ],
  [
    'a parameter is gone',
    document => {
      list(document).parameters = list(document).parameters?.filter(
        each => !('name' in each && each.name === 'search'),
      )
    },
    'nations.list: no longer takes search',
  ],
  [
    'a parameter is needed',
    document => {
      parameter(document, 'search').required = true
    },
    'nations.list: needs search',
  ],
  [
    'a page is shorter',
    document => {
      parameter(document, 'limit').schema.maximum = 50
    },
    'nations.list: limit takes less than before',
  ],
  [
    'the usual page is shorter',
    document => {
      parameter(document, 'limit').schema.default = 10
    },
    'nations.list: limit is 10 where it is left out, not 25',
  ],
  [
    'a word is no longer taken',
    document => void parameter(document, 'status').schema.enum?.pop(),
    'nations.list: status no longer takes inactive',
  ],
  [
    'a field is gone',
    document => void delete nation(document).properties.motto,
    'Nation: Nation.motto is no longer there',
  ],
  [
    'a field may be missing',
    document => void nation(document).required.splice(nation(document).required.indexOf('motto'), 1),
    'Nation: Nation.motto may be missing',
  ],
  [
    'a field may be null',
    document => {
      nation(document).properties.nation_name = { type: ['string', 'null'] }
    },
    'Nation: Nation.nation_name may now be null',
  ],
  [
    'a number becomes text',
    document => {
      nation(document).properties.national_score = { type: 'string' }
    },
    'Nation: Nation.national_score may now be string',
  ],
  [
    'a member inside a field is gone',
    document => void delete nation(document).properties.wars?.properties?.won,
    'Nation: Nation.wars.won is no longer there',
  ],
  [
    'an answer is another thing',
    document => void delete list(document).responses['200']?.content?.['application/json'],
    'nations.list: no longer answers 200 as application/json',
  ],
  [
    'the data of an event is gone',
    ({ components }) => void delete components.schemas.EventDataWarDeclared,
    'EventDataWarDeclared: EventDataWarDeclared is no longer there',
  ],
]
for (const [name, change, expected] of breaks) {
  test(`it is seen that ${name}`, () => {
    assert.deepEqual(found(change), [expected])
  })
}

test('only what is not released yet, and only under its heading, counts as said', () => {
  const changelog =
    '## [Unreleased]\n\n### Added\n\n- `Nation`\n\n### Breaking\n\n- `War.reason` is gone.\n\n### Fixed\n\n- `Era`\n\n## [1.0.0]\n\n### Breaking\n\n- `Battle`\n'
  assert.equal(breakingSection(changelog).trim(), '- `War.reason` is gone.')
  assert.equal(breakingSection('## [Unreleased]\n\n### Added\n\n- `Nation`\n'), '')
  assert.equal(breakingSection('## [1.0.0]\n\n### Breaking\n\n- `Battle`\n'), '')
})
