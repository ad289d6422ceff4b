import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases, type RequestOptions } from '../../src/client.ts'
import { describeExchange, expectError } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { digText } from '../../src/json.ts'
import { specTest } from '../../src/spec-test.ts'

/** Requests that fail, and their errors. Errors that need keys and codes are tested with those. */
const failures: [what: string, path: string, status: number, code: string, options?: RequestOptions][] = [
  ['an unknown path', '/nowhere', 404, 'not_found'],
  ['the base itself', '', 404, 'not_found'],
  ['a trailing slash', '/nations/', 404, 'not_found'],
  ['two slashes', '//nations', 404, 'not_found'],
  ['an unknown id', '/wars/no-such-id', 404, 'not_found'],
  ['an id of 500 characters', `/nations/${'n'.repeat(500)}`, 404, 'not_found'],
  ['a path that is not percent-encoded UTF-8', '/nations/%zz', 400, 'invalid_parameter'],
  ['bytes that are not UTF-8', '/nations/%ff', 400, 'invalid_parameter'],
  ['a parameter out of range', '/nations?limit=101', 400, 'invalid_parameter'],
  ['a parameter with a NUL', '/nations?search=%00', 400, 'invalid_parameter'],
  ['another method', '/nations', 405, 'method_not_allowed', { method: 'DELETE' }],
  ['another method on an unknown path', '/nowhere', 405, 'method_not_allowed', { method: 'PATCH' }],
  ['an unknown code', '/discord/verify/2345678923', 404, 'verification_code_unknown'],
  ['a URL that is too long', `/nations?search=${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
  ['an unsupported expectation', '/nations', 417, 'expectation_failed', { headers: { expect: 'a-miracle' } }],
]

export function errors({ client }: Fixture): void {
  describe('7. An error has exactly code, message and request_id, which is also in x-request-id', () => {
    for (const [what, path, status, code, options] of failures) {
      specTest(`${what}: ${status} ${code}`, () =>
        onBothBases(async base => {
          const exchange = await client.request(base + path, options)
          const message = expectError(exchange, status, code)
          const internals = /select |stack|\bat .*:\d+|node_modules|\/home\//i
          assert.doesNotMatch(message, internals, describeExchange(exchange))
        }),
      )
    }

    specTest('a path outside both bases: 404 not_found', async () => {
      for (const path of ['/', '/api', '/nations', '/apis/v1/nations'])
        if (path !== '/') expectError(await client.request(path), 404, 'not_found')
    })

    specTest('each request has its own request id', async () => {
      const ids: string[] = []
      await onBothBases(async base => {
        for (let call = 0; call < 5; call += 1)
          ids.push(digText((await client.request(`${base}/nowhere`)).json, 'error.request_id'))
      })
      assert.equal(new Set(ids).size, ids.length)
    })

    specTest('a caller cannot choose the request id', async () => {
      await onBothBases(async base => {
        const chosen = 'chosen-by-the-caller'
        const exchange = await client.request(`${base}/nowhere`, { headers: { 'x-request-id': chosen } })
        expectError(exchange, 404, 'not_found')
        assert.notEqual(exchange.responseHeaders['x-request-id'], chosen)
      })
    })
  })
}
