import assert from 'node:assert/strict'
import { test } from 'node:test'
import examples from '../examples.json' with { type: 'json' }
import {
  contractFor,
  demoProfile,
  type Operation,
  openApiFor,
  operations,
  responseSchema,
  returnedName,
} from '../src/index.ts'
import { compiler, documentProblems, validationErrors } from './validation.ts'

const contract = contractFor(demoProfile)
const recordings: Record<string, Record<string, { request: string; response: object }>> = examples
const recorded = Object.values<Operation>(operations).filter(({ cache }) => cache !== 'stream')
const howToRecord = 'npm run examples records them'

/** The examples of an operation's response in the document, by component. */
const shownOf = (document: ReturnType<typeof openApiFor>, { path }: Operation) => {
  const response = document.paths[path]?.get.responses['200']
  return response && 'content' in response ? response.content?.['application/json']?.examples : undefined
}

for (const operation of recorded) {
  test(`every response of ${operation.id} has a valid recorded example`, () => {
    const { id, scope, returns, path } = operation
    const views =
      returns.view === 'owner' && scope === 'none' ? (['public', 'owner'] as const) : [returns.view]
    const expected = returns.resources.flatMap(resource =>
      views.map(view => ({ resource, view, name: returnedName(returns, resource, view) })),
    )
    assert.deepEqual(
      Object.keys(recordings[id] ?? {}),
      expected.map(({ name }) => name),
      howToRecord,
    )
    for (const { resource, view, name } of expected) {
      const recording = recordings[id]?.[name]
      const asRead = { ...operation, returns: { ...returns, view } }
      // Closed, unlike the document's: a removed or withheld field is an error.
      const validate = compiler()(responseSchema(contract, asRead, resource))
      assert.deepEqual(validationErrors(validate, recording?.response), [], `${name}: ${howToRecord}`)
      const [requested = '', query = ''] = recording?.request.split('?') ?? []
      assert.match(requested, new RegExp(`^${path.replace(/\{\w+\}/g, '[A-Za-z0-9_-]+')}$`))
      for (const parameter of new URLSearchParams(query).keys()) assert.ok(parameter in operation.parameters)
    }
  })
}

test('only operations have recorded examples', () => {
  assert.deepEqual(Object.keys(recordings).sort(), recorded.map(({ id }) => id).sort())
})

test('every recorded list has items and a pagination', () => {
  for (const { id, returns } of recorded) {
    for (const { response } of Object.values(recordings[id] ?? {})) {
      const { data, pagination } = response as { data: unknown; pagination?: { total: number } }
      assert.equal(Array.isArray(data), returns.isList, id)
      if (Array.isArray(data)) assert.ok(data.length > 0 && (pagination?.total ?? 0) >= data.length, id)
    }
  }
})

test('the document of the demo game has the recorded examples, and is valid', () => {
  const document = openApiFor(contract)
  for (const operation of recorded) {
    const shown = Object.entries(shownOf(document, operation) ?? {})
    assert.deepEqual(
      shown,
      Object.entries(recordings[operation.id] ?? {}).map(([name, { request, response }]) => [
        name,
        { summary: `GET ${request}`, value: response },
      ]),
    )
  }
  assert.deepEqual(documentProblems(document), [])
})

test('the document of another game has no examples from the demo world', () => {
  const document = openApiFor(contractFor(structuredClone(demoProfile)))
  for (const operation of recorded) {
    for (const [name, { summary, value }] of Object.entries(shownOf(document, operation) ?? {})) {
      assert.equal(summary, undefined)
      assert.notDeepEqual(value, recordings[operation.id]?.[name]?.response, `${operation.id} ${name}`)
    }
  }
})

test('recorded examples contain no key and no valid code', () => {
  const text = JSON.stringify(examples)
  assert.doesNotMatch(text, /\b(ch[a-z]|whsec)_[A-Za-z0-9]{16}/)
  const redeemed = recordings['discord.verify']?.VerifiedIdentity?.request
  const { example } = Object(operations.discordVerify.parameters.code.schema)
  assert.equal(redeemed, `/discord/verify/${example}`)
})
