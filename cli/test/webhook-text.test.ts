import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryErrors, describeAttempt } from '@chancery/contract'

const attempts = [
  ...Object.keys(deliveryErrors).map(error => ({ status: null, error })),
  ...[301, 400, 401, 403, 404, 405, 410, 429, 500, 503].map(status => ({ status, error: null })),
]
for (const attempt of attempts)
  test(`the result of an attempt is one line in plain words: ${attempt.error ?? attempt.status}`, () => {
    const text = describeAttempt(attempt)
    assert.match(text, /^(No response|Status \d{3}): \w+ .{10,}$/)
    assert.ok(text.length <= 98, text)
  })

test('an error of a later version is shown unchanged', () => {
  assert.equal(describeAttempt({ status: null, error: 'a_later_word' }), 'No response: a_later_word')
  assert.equal(describeAttempt({ status: null, error: null }), 'No response')
})
