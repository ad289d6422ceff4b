import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDoorkeeper } from '../../src/http/response-cache.ts'

const names = Array.from({ length: 10_000 }, (_, number) => `nationsGet {"id":"n${number}"}`)

test('a key that is repeated in one world version counts as requested before, and in another version it does not', () => {
  const wasRequestedBefore = createDoorkeeper()
  assert.deepEqual(
    [1, 1, 2, 2, 3].map(version => wasRequestedBefore('a', version)),
    [false, true, false, true, false],
  )
})

test('few of ten thousand keys are false positives, and there are no false negatives', () => {
  const wasRequestedBefore = createDoorkeeper()
  const mistaken = names.filter(name => wasRequestedBefore(name, 1)).length
  assert.ok(mistaken < names.length / 10, `${mistaken} are`)
  assert.ok(names.every(name => wasRequestedBefore(name, 1)))
})

test('however many keys are requested once in one world version, few are false positives', () => {
  const wasRequestedBefore = createDoorkeeper()
  const count = 300_000
  let mistaken = 0
  for (let number = 0; number < count; number += 1)
    if (wasRequestedBefore(`nationsGet {"id":"n${number}"}`, 1)) mistaken += 1
  assert.ok(mistaken < count / 5, `${mistaken} are`)
})
