import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lintProblems } from './lint.ts'
import { rules } from './rules.ts'

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'))

type Edit = (copy: typeof document) => unknown

/** Adds a parameter to an operation. */
const parameter =
  (member: object): Edit =>
  ({ paths }) => {
    const { parameters } = paths['/eras'].get
    const added = {
      name: `p${parameters.length}`,
      in: 'query',
      description: 'One.',
      schema: { type: 'string' },
    }
    parameters.push({ ...added, ...member })
  }

/** Adds a field to a schema. */
const field =
  (schema: object): Edit =>
  ({ components }) => {
    const { properties } = components.schemas.Nation
    properties[`field_${Object.keys(properties).length}`] = { description: 'One.', ...schema }
  }

const get = (copy: typeof document, path: string) => copy.paths[path].get
const jsonOf = (copy: typeof document, path: string) =>
  get(copy, path).responses[200].content['application/json']

/** For each rule a fault, each in another place of the document, and the edit that makes it. */
const faults: Record<string, [fault: string, makes: Edit]> = {
  'no-unresolved-refs': [
    'a reference to nothing',
    copy => (get(copy, '/nations/{id}').responses[404].$ref = '#/components/responses/NotThere'),
  ],
  'no-invalid-media-type-examples': [
    'an example that its schema does not allow',
    copy => {
      const [example] = Object.values<typeof document>(jsonOf(copy, '/nations/{id}').examples)
      example.value.data.national_score = 'strong'
    },
  ],
  'rule/example-value': [
    'an example without a value',
    copy => (jsonOf(copy, '/eras').examples = { empty: { summary: 'Without a value.' } }),
  ],
  'path-parameters-defined': [
    'a parameter of the path that is not described',
    copy => get(copy, '/wars/{id}').parameters.shift(),
  ],
  'rule/path-parameter-required': [
    'a parameter of the path that is not required',
    copy => delete get(copy, '/nations/{id}').parameters[0].required,
  ],
  'rule/path-parameter-once': [
    'a parameter that a path has twice',
    copy => (copy.paths['/eras/{id}/of/{id}'] = copy.paths['/nations/{id}']),
  ],
  'operation-operationId-unique': [
    'two operations with one id',
    copy => (get(copy, '/eras').operationId = 'news.list'),
  ],
  'no-unused-components': [
    'a component without a reference',
    copy => (copy.components.schemas.Unused = { type: 'object' }),
  ],
  'no-duplicated-enum-values': [
    'a value that is listed twice',
    copy => copy.components.schemas.Nation.properties.status.enum.push('active'),
  ],
  'operation-description': [
    'an operation without a description',
    copy => delete get(copy, '/game').description,
  ],
  'rule/operation-tags': ['an operation without a tag', copy => (get(copy, '/game').tags = [])],
  'operation-singular-tag': [
    'an operation with two tags',
    copy => (get(copy, '/eras').tags = ['Game', 'Nations']),
  ],
  'operation-tag-defined': ['a tag that is not described', copy => (get(copy, '/news').tags = ['Rumours'])],
  'rule/operation-parts': [
    'an operation with servers of its own',
    copy => (get(copy, '/game').servers = [{ url: '/other', description: 'Other.' }]),
  ],
  'operation-2xx-response': [
    'an operation without a success response',
    copy => {
      const { responses } = get(copy, '/market/price')
      responses.default = responses[200]
      delete responses[200]
    },
  ],
  'rule/response-status': [
    'an invalid status',
    copy => (get(copy, '/news').responses[600] = { description: 'One.' }),
  ],
  struct: ['a schema of an unknown type', copy => (copy.components.schemas.Error.type = 'word')],
  'chancery/valid-schema': [
    'a default that its schema does not allow',
    parameter({ schema: { type: 'integer', default: 'all' } }),
  ],
  'rule/array-items': ['a list of unknown items', field({ type: ['array', 'null'] })],
  'rule/no-code-in-texts': ['code in a text', field({ type: 'string', title: 'eval(1)' })],
  'parameter-description': ['a parameter without a description', parameter({ description: undefined })],
  'rule/parameter-schema-or-content': [
    'a parameter with a schema and content',
    parameter({ content: { 'text/plain': { schema: { type: 'string' } } } }),
  ],
  'rule/query-parameter-style': ['a query parameter in the style of a path', parameter({ style: 'simple' })],
  'rule/path-parameter-style': [
    'a path parameter in the style of a query',
    parameter({ in: 'path', required: true, style: 'form' }),
  ],
  'rule/header-example': [
    'a header with an example',
    copy => (copy.components.headers['x-ratelimit-limit'].example = {}),
  ],
  'rule/info-description': ['a document without a description', copy => (copy.info.description = '')],
  'rule/contact-url': [
    'a contact with an invalid URL',
    copy => (copy.info.contact = { name: 'Us', url: 'our page', email: 'us' }),
  ],
  'rule/contact-email': ['a contact with an invalid mail address', () => undefined],
  'rule/license-url-or-identifier': [
    'a license with URL and identifier',
    copy => (copy.info.license.identifier = 'MIT'),
  ],
  'rule/external-docs-url': [
    'external documentation with an invalid URL',
    copy => (copy.externalDocs = { url: 'the guides' }),
  ],
  'rule/no-dialect': [
    'another dialect of JSON Schema',
    copy => (copy.jsonSchemaDialect = 'https://json-schema.org/draft/2020-12/schema'),
  ],
}

// All at once: a run of the linter takes seconds.
const faulty = structuredClone(document)
for (const [, makes] of Object.values(faults)) makes(faulty)
const found = await lintProblems(faulty)

for (const [rule, [fault]] of Object.entries(faults))
  test(`${fault} is reported`, () => {
    const ofRule = found.filter(finding => finding.startsWith(`${rule}:`))
    assert.ok(ofRule.length > 0, `${rule} is not among:\n${found.join('\n')}`)
  })

test('an invalid JSON Schema is reported', async () => {
  const copy = structuredClone(document)
  field({ type: 'integer', multipleOf: 0 })(copy)
  assert.match((await lintProblems(copy)).join('\n'), /^chancery\/valid-schema:/m)
})

test('a document without a contact is reported', async () => {
  const { contact: _, ...info } = document.info
  const [finding = ''] = await lintProblems({ ...document, info })
  assert.match(finding, /^info-contact:/)
})

test('every rule of the ruleset has a fault', () => {
  assert.deepEqual(
    Object.keys(rules).filter(rule => rule !== 'info-contact' && !faults[rule]),
    [],
  )
})
