import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createChecker } from '../../acceptance/src/fuzz/checker.ts'

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'))
const { schema, examples } = document.paths['/events'].get.responses[200].content['application/json']
const recorded = examples.Event.value
const [event] = recorded.data
const checker = createChecker(document)
const problemsOf = (changed: object) =>
  checker.problems(schema, { ...recorded, data: [{ ...event, ...changed }] }).join('\n')

test('a recorded page of events has no problem', () => {
  assert.deepEqual(checker.problems(schema, recorded), [])
})

for (const [fault, changed, problem] of [
  [
    'a type that the document does not describe',
    { type: 'war.unheard_of' },
    /value of tag "type" must be in oneOf/,
  ],
  ['a member that events do not have', { leader: 'n1' }, /must NOT have additional properties: leader/],
  [
    'a member that the data of its type does not have',
    { data: { ...event.data, secret: 1 } },
    /\/data must NOT have additional properties: secret/,
  ],
  ['data without a member of its type', { data: {} }, /\/data must have required property/],
  ['no time', { occurred_at: null }, /\/occurred_at must be string/],
] as const)
  test(`an event with ${fault} is reported`, () => {
    assert.match(problemsOf(changed), problem)
  })
