import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findings } from './findings.ts'

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'))

/** Ways to break the document, each in another place, and the rule that sees it. */
const mutations: Record<string, { rule: string; breaks: (copy: typeof document) => void }> = {
  'a reference that leads nowhere': {
    rule: 'redocly no-unresolved-refs',
    breaks: copy => {
      copy.paths['/nations/{id}'].get.responses[404].$ref = '#/components/responses/NotThere'
    },
  },
  'an example that is not of its schema': {
    rule: 'redocly no-invalid-media-type-examples',
    breaks: copy => {
      const [example] = Object.values<{ value: { data: { national_score: unknown } } }>(
        copy.paths['/nations/{id}'].get.responses[200].content['application/json'].examples,
      )
      if (example) example.value.data.national_score = 'strong'
    },
  },
  'a parameter of the path that is not described': {
    rule: 'redocly path-parameters-defined',
    breaks: copy => {
      copy.paths['/wars/{id}'].get.parameters.shift()
    },
  },
  'two operations of one name': {
    rule: 'redocly operation-operationId-unique',
    breaks: copy => {
      copy.paths['/eras'].get.operationId = 'news.list'
    },
  },
  'a component that nothing uses': {
    rule: 'redocly no-unused-components',
    breaks: copy => {
      copy.components.schemas.Forgotten = { type: 'object' }
    },
  },
  'a word that stands twice in a list': {
    rule: 'spectral duplicated-entry-in-enum',
    breaks: copy => {
      copy.components.schemas.Nation.properties.status.enum.push('active')
    },
  },
  'an operation without a description': {
    rule: 'spectral operation-description',
    breaks: copy => {
      delete copy.paths['/game'].get.description
    },
  },
  'a schema that is none': {
    rule: 'spectral oas3-schema',
    breaks: copy => {
      copy.components.schemas.Error.type = 'thing'
    },
  },
}

// All at once: a run of both linters takes seconds.
const broken = structuredClone(document)
for (const { breaks } of Object.values(mutations)) breaks(broken)
const found = await findings(broken)

for (const [what, { rule }] of Object.entries(mutations)) {
  test(`${what} is found`, () => {
    assert.ok(
      found.some(finding => finding.startsWith(`${rule}:`)),
      `${rule} is not among:\n${found.join('\n')}`,
    )
  })
}
