import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendErrorCode } from '../../server/src/webhooks/outbound/request.ts'
import { describeAttempt } from '../src/webhook-text.ts'

/** All errors of the service, by its type. */
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
    const text = describeAttempt({ status: null, error })
    assert.match(text, new RegExp(`^${error}: \\w+ .{10,}`))
    assert.ok(text.length <= 98, text)
  })

for (const status of [301, 400, 401, 403, 404, 405, 410, 429, 500, 503])
  test(`a status of ${status} is explained, on a line of a terminal`, () => {
    const text = describeAttempt({ status, error: null })
    assert.match(text, new RegExp(`^${status}: \\w+ .{10,}`))
    assert.ok(text.length <= 98, text)
  })

test('an error of a later version is shown unchanged', () => {
  assert.equal(describeAttempt({ status: null, error: 'a_later_word' }), 'a_later_word')
  assert.equal(describeAttempt({ status: null, error: null }), 'no response')
})
