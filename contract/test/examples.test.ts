import assert from 'node:assert/strict'
import { test } from 'node:test'
import examples from '../examples.json' with { type: 'json' }
import {
  componentName,
  contractFor,
  demoProfile,
  type Operation,
  openApiFor,
  operations,
  responseSchema,
} from '../src/index.ts'
import { compiler, complaints } from './compile.ts'
import { documentProblems } from './document-problems.ts'

const contract = contractFor(demoProfile)
const recordings: Record<string, Record<string, { request: string; answer: object }>> = examples
const recorded = Object.values<Operation>(operations).filter(({ cache }) => cache !== 'stream')
const recordAnew = 'npm run examples records them'

/** What the document shows as answers of an operation, by component. */
const shownOf = (document: ReturnType<typeof openApiFor>, { path }: Operation) => {
  const answer = document.paths[path]?.get.responses['200']
  return answer && 'content' in answer ? answer.content?.['application/json']?.examples : undefined
}

for (const operation of recorded) {
  test(`what is recorded of ${operation.id} is all that it may answer, and nothing else`, () => {
    const { id, scope, returns, path } = operation
    const views =
      returns.view === 'owner' && scope === 'none' ? (['public', 'owner'] as const) : [returns.view]
    const expected = returns.resources.flatMap(resource =>
      views.map(view => ({ resource, view, name: componentName(resource, view) })),
    )
    assert.deepEqual(
      Object.keys(recordings[id] ?? {}),
      expected.map(({ name }) => name),
      recordAnew,
    )
    for (const { resource, view, name } of expected) {
      const recording = recordings[id]?.[name]
      const asRead = { ...operation, returns: { ...returns, view } }
      // Closed, unlike the document's: a field that is gone or withheld is a complaint.
      const validate = compiler()(responseSchema(contract, asRead, resource))
      assert.deepEqual(complaints(validate, recording?.answer), [], `${name}: ${recordAnew}`)
      const [asked = '', query = ''] = recording?.request.split('?') ?? []
      assert.match(asked, new RegExp(`^${path.replace(/\{\w+\}/g, '[A-Za-z0-9_-]+')}$`))
      for (const parameter of new URLSearchParams(query).keys()) assert.ok(parameter in operation.parameters)
    }
  })
}

test('nothing is recorded of what is no operation', () => {
  assert.deepEqual(Object.keys(recordings).sort(), recorded.map(({ id }) => id).sort())
})

test('every list that is recorded has something to show, and every page says where it stands', () => {
  for (const { id, returns } of recorded) {
    for (const { answer } of Object.values(recordings[id] ?? {})) {
      const { data, pagination } = answer as { data: unknown; pagination?: { total: number } }
      assert.equal(Array.isArray(data), returns.isList, id)
      if (Array.isArray(data)) assert.ok(data.length > 0 && (pagination?.total ?? 0) >= data.length, id)
    }
  }
})

test('the document of the demo game shows what is recorded, and holds', () => {
  const document = openApiFor(contract)
  for (const operation of recorded) {
    const shown = Object.entries(shownOf(document, operation) ?? {})
    assert.deepEqual(
      shown,
      Object.entries(recordings[operation.id] ?? {}).map(([name, { request, answer }]) => [
        name,
        { summary: `GET ${request}`, value: answer },
      ]),
    )
  }
  assert.deepEqual(documentProblems(document), [])
})

test('the document of another game shows nothing of the demo world', () => {
  const document = openApiFor(contractFor(structuredClone(demoProfile)))
  for (const operation of recorded) {
    for (const [name, { summary, value }] of Object.entries(shownOf(document, operation) ?? {})) {
      assert.equal(summary, undefined)
      assert.notDeepEqual(value, recordings[operation.id]?.[name]?.answer, `${operation.id} ${name}`)
    }
  }
})

test('no key and no code is written down', () => {
  const text = JSON.stringify(examples)
  assert.doesNotMatch(text, /\b(ch[a-z]|whsec)_[A-Za-z0-9]{16}/)
  const redeemed = recordings['discord.verify']?.VerifiedIdentity?.request
  const { example } = Object(operations.discordVerify.parameters.code.schema)
  assert.equal(redeemed, `/discord/verify/${example}`)
})
