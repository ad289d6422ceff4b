import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases, type RequestOptions } from '../../src/client.ts'
import { describeExchange, expectError } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { digText } from '../../src/json.ts'
import { specTest } from '../../src/spec-test.ts'

interface Refused {
  path: string
  options?: RequestOptions
  status: number
  code: string
}

/** Requests that fail, and their errors. Errors that need keys and codes of their own are tested with those. */
const refusals: Record<string, Refused> = {
  'an unknown path': { path: '/nowhere', status: 404, code: 'not_found' },
  'the base itself': { path: '', status: 404, code: 'not_found' },
  'a slash too many at the end': { path: '/nations/', status: 404, code: 'not_found' },
  'two slashes': { path: '//nations', status: 404, code: 'not_found' },
  'an id that names nothing': { path: '/wars/no-such-id', status: 404, code: 'not_found' },
  'an id of 500 characters': { path: `/nations/${'n'.repeat(500)}`, status: 404, code: 'not_found' },
  'a path that is not percent-encoded UTF-8': {
    path: '/nations/%zz',
    status: 400,
    code: 'invalid_parameter',
  },
  'bytes that are not UTF-8': { path: '/nations/%ff', status: 400, code: 'invalid_parameter' },
  'a parameter out of range': { path: '/nations?limit=101', status: 400, code: 'invalid_parameter' },
  'a parameter with a NUL': { path: '/nations?search=%00', status: 400, code: 'invalid_parameter' },
  'another method': {
    path: '/nations',
    options: { method: 'DELETE' },
    status: 405,
    code: 'method_not_allowed',
  },
  'another method on an unknown path': {
    path: '/nowhere',
    options: { method: 'PATCH' },
    status: 405,
    code: 'method_not_allowed',
  },
  'a code that does not exist': {
    path: '/discord/verify/2345678923',
    status: 404,
    code: 'verification_code_unknown',
  },
  'a URL that is too long': {
    path: `/nations?search=${'x'.repeat(20_000)}`,
    status: 431,
    code: 'headers_too_large',
  },
  'an expectation that is not supported': {
    path: '/nations',
    options: { headers: { expect: 'a-miracle' } },
    status: 417,
    code: 'expectation_failed',
  },
}

export function errors({ client }: Fixture): void {
  describe('7. An error has exactly code, message and request_id, which is also in x-request-id', () => {
    for (const [what, { path, options, status, code }] of Object.entries(refusals)) {
      specTest(`${what}: ${status} ${code}`, () =>
        onBothBases(async base => {
          const exchange = await client.request(base + path, options)
          const message = expectError(exchange, status, code)
          assert.doesNotMatch(
            message,
            /select |stack|\bat .*:\d+|node_modules|\/home\//i,
            describeExchange(exchange),
          )
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
