import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendErrorCode } from '../../server/src/webhooks/outbound/request.ts'
import { whatCame } from '../src/webhooks/no-answer.ts'

/** All words that the service has, by its type. */
const errors: Record<SendErrorCode, true> = {
  timed_out: true,
  name_not_found: true,
  address_not_public: true,
  connection_failed: true,
  tls_failed: true,
  closed_early: true,
  not_http: true,
  stopped: true,
  url_not_allowed: true,
}

for (const error of Object.keys(errors))
  test(`${error} is explained in plain words, on a line of a terminal`, () => {
    const text = whatCame({ status: null, error })
    assert.match(text, new RegExp(`^${error}: \\w+ .{10,}`))
    assert.ok(text.length <= 98, text)
  })

for (const status of [301, 400, 401, 403, 404, 405, 410, 429, 500, 503])
  test(`a status of ${status} is explained, on a line of a terminal`, () => {
    const text = whatCame({ status, error: null })
    assert.match(text, new RegExp(`^${status}: \\w+ .{10,}`))
    assert.ok(text.length <= 98, text)
  })

test('a word that a later service says is shown as it is', () => {
  assert.equal(whatCame({ status: null, error: 'a_later_word' }), 'a_later_word')
  assert.equal(whatCame({ status: null, error: null }), 'no answer')
})
