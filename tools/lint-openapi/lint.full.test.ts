import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lintProblems } from './lint.ts'
import { rules } from './rules.ts'

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'))

type Mutation = (copy: typeof document) => void

/** Adds a parameter to an operation. */
const parameter =
  (member: object): Mutation =>
  copy => {
    const described = {
      name: `p${copy.paths['/eras'].get.parameters.length}`,
      in: 'query',
      description: 'One.',
    }
    copy.paths['/eras'].get.parameters.push({ ...described, schema: { type: 'string' }, ...member })
  }

/** Adds a field to a schema. */
const field =
  (schema: object): Mutation =>
  ({ components }) => {
    const { properties } = components.schemas.Nation
    properties[`field_${Object.keys(properties).length}`] = { description: 'One.', ...schema }
  }

const example: Mutation = copy => {
  const [content] = Object.values<{ examples: Record<string, object> }>(
    copy.paths['/eras'].get.responses[200].content,
  )
  if (content) content.examples = { empty: { summary: 'Without a value.' } }
}

/** Ways to break the document, each in another place, and the rule that sees it. */
const mutations: Record<string, [rule: string, breaks: Mutation]> = {
  'a reference that leads nowhere': [
    'no-unresolved-refs',
    copy => {
      copy.paths['/nations/{id}'].get.responses[404].$ref = '#/components/responses/NotThere'
    },
  ],
  'an example that is not of its schema': [
    'no-invalid-media-type-examples',
    copy => {
      const [of] = Object.values<{ value: { data: { national_score: unknown } } }>(
        copy.paths['/nations/{id}'].get.responses[200].content['application/json'].examples,
      )
      if (of) of.value.data.national_score = 'strong'
    },
  ],
  'an example without a value': ['rule/example-value', example],
  'a parameter of the path that is not described': [
    'path-parameters-defined',
    copy => {
      copy.paths['/wars/{id}'].get.parameters.shift()
    },
  ],
  'a parameter of the path that is not required': [
    'rule/path-parameter-required',
    copy => {
      for (const item of Object.values<typeof document>(copy.paths))
        for (const of of item.get.parameters ?? []) if (of.in === 'path') delete of.required
    },
  ],
  'a parameter that stands twice in a path': [
    'rule/path-parameter-once',
    copy => {
      copy.paths['/eras/{id}/of/{id}'] = copy.paths['/nations/{id}']
    },
  ],
  'two operations of one name': [
    'operation-operationId-unique',
    copy => {
      copy.paths['/eras'].get.operationId = 'news.list'
    },
  ],
  'a component that nothing uses': [
    'no-unused-components',
    copy => {
      copy.components.schemas.Forgotten = { type: 'object' }
    },
  ],
  'a word that stands twice in a list': [
    'no-duplicated-enum-values',
    copy => {
      copy.components.schemas.Nation.properties.status.enum.push('active')
    },
  ],
  'an operation without a description': [
    'operation-description',
    copy => {
      delete copy.paths['/game'].get.description
    },
  ],
  'an operation of no tag': [
    'rule/operation-tags',
    copy => {
      copy.paths['/game'].get.tags = []
    },
  ],
  'an operation of two tags': [
    'operation-singular-tag',
    copy => {
      copy.paths['/eras'].get.tags = ['Game', 'Nations']
    },
  ],
  'a tag that is not described': [
    'operation-tag-defined',
    copy => {
      copy.paths['/news'].get.tags = ['Rumours']
    },
  ],
  'an operation with servers of its own': [
    'rule/operation-parts',
    copy => {
      copy.paths['/game'].get.servers = [{ url: '/other', description: 'Other.' }]
    },
  ],
  'an operation that never succeeds': [
    'operation-2xx-response',
    copy => {
      const { responses } = copy.paths['/market/price'].get
      responses.default = responses[200]
      delete responses[200]
    },
  ],
  'a status that is none': [
    'rule/response-status',
    copy => {
      copy.paths['/news'].get.responses[600] = { description: 'One.' }
    },
  ],
  'a schema of an unknown type': [
    'struct',
    copy => {
      copy.components.schemas.Error.type = 'thing'
    },
  ],
  'a schema that is no JSON Schema': ['chancery/valid-schema', field({ type: 'integer', multipleOf: 0 })],
  'a list of unknown items': ['rule/array-items', field({ type: ['array', 'null'] })],
  'code in a text': ['rule/no-code-in-texts', field({ type: 'string', title: 'eval(1)' })],
  'a default that is not of its schema': [
    'chancery/valid-schema',
    parameter({ schema: { type: 'integer', default: 'all' } }),
  ],
  'a parameter without a description': ['parameter-description', parameter({ description: undefined })],
  'a parameter with a schema and content': [
    'rule/parameter-schema-or-content',
    parameter({ content: { 'text/plain': { schema: { type: 'string' } } } }),
  ],
  'a query parameter in the style of a path': ['rule/query-parameter-style', parameter({ style: 'simple' })],
  'a path parameter in the style of a query': [
    'rule/path-parameter-style',
    parameter({ in: 'path', required: true, style: 'form' }),
  ],
  'a header with an example': [
    'rule/header-example',
    copy => {
      for (const header of Object.values<{ example: unknown }>(copy.components.headers)) header.example = {}
    },
  ],
  'no description of the whole': [
    'rule/info-description',
    copy => {
      copy.info.description = ''
    },
  ],
  'a contact of no address': [
    'rule/contact-url',
    copy => {
      copy.info.contact = { name: 'Us', url: 'our page', email: 'us' }
    },
  ],
  'a contact of no mail address': ['rule/contact-email', () => undefined],
  'a license of two texts': [
    'rule/license-url-or-identifier',
    copy => {
      copy.info.license.identifier = 'MIT'
    },
  ],
  'other documentation at no address': [
    'rule/external-docs-url',
    copy => {
      copy.externalDocs = { url: 'the guides' }
    },
  ],
  'another dialect of JSON Schema': [
    'rule/no-dialect',
    copy => {
      copy.jsonSchemaDialect = 'https://json-schema.org/draft/2020-12/schema'
    },
  ],
}

// All at once: a run of the linter takes seconds.
const broken = structuredClone(document)
for (const [, breaks] of Object.values(mutations)) breaks(broken)
const found = await lintProblems(broken)

const isFound = (rule: string) => found.some(finding => finding.startsWith(`${rule}:`))

for (const [what, [rule]] of Object.entries(mutations))
  test(`${what} is found`, () => {
    assert.ok(isFound(rule), `${rule} is not among:\n${found.join('\n')}`)
  })

test('a document without a contact is found', async () => {
  const { contact: _, ...info } = document.info
  const [finding = ''] = await lintProblems({ ...document, info })
  assert.match(finding, /^info-contact:/)
})

test('every rule that is added to the ruleset is tried here', () => {
  const tried = new Set(['info-contact', ...Object.values(mutations).map(([rule]) => rule)])
  assert.deepEqual(
    Object.keys(rules).filter(rule => !tried.has(rule)),
    [],
  )
})
