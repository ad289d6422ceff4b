import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestCounts } from '../../src/http/response-cache.ts'

const names = Array.from({ length: 10_000 }, (_, number) => `nationsGet {"id":"n${number}"}`)

test('requests for a key are counted in one world version, and from one again in another', () => {
  const countRequest = createRequestCounts()
  assert.deepEqual(
    [1, 1, 1, 2, 2, 3].map(version => countRequest('a', version)),
    [1, 2, 3, 1, 2, 1],
  )
})

test('a key that is requested without end is not counted from one again', () => {
  const countRequest = createRequestCounts()
  for (let times = 0; times < 1_000; times += 1) countRequest('a', 1)
  assert.ok(countRequest('a', 1) > 3)
})

test('few of ten thousand keys are counted too high, and none too low', () => {
  const countRequest = createRequestCounts()
  const tooHigh = names.filter(name => countRequest(name, 1) > 1).length
  assert.ok(tooHigh < names.length / 10, `${tooHigh} are`)
  assert.ok(names.every(name => countRequest(name, 1) >= 2))
})

test('however many keys are requested once in one world version, few are counted too high', () => {
  const countRequest = createRequestCounts()
  const count = 300_000
  let tooHigh = 0
  for (let number = 0; number < count; number += 1)
    if (countRequest(`nationsGet {"id":"n${number}"}`, 1) > 1) tooHigh += 1
  assert.ok(tooHigh < count / 5, `${tooHigh} are`)
})
