import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { expectError, told } from '../../src/expect.ts'
import { digText } from '../../src/json.ts'
import { promise } from '../../src/promise.ts'
import type { Scene } from '../../src/scene.ts'
import { type Ask, onBothBases } from '../../src/visit.ts'

interface Refused {
  path: string
  ask?: Ask
  status: number
  code: string
}

/** What goes wrong for callers, and how they are told. Errors that need keys and codes of their own are with those. */
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
    ask: { method: 'DELETE' },
    status: 405,
    code: 'method_not_allowed',
  },
  'another method on an unknown path': {
    path: '/nowhere',
    ask: { method: 'PATCH' },
    status: 405,
    code: 'method_not_allowed',
  },
  'a code that nobody has': {
    path: '/discord/verify/2345678923',
    status: 404,
    code: 'verification_code_unknown',
  },
  'a URL that is too long': {
    path: `/nations?search=${'x'.repeat(20_000)}`,
    status: 431,
    code: 'headers_too_large',
  },
  'an expectation that nobody fulfils': {
    path: '/nations',
    ask: { headers: { expect: 'a-miracle' } },
    status: 417,
    code: 'expectation_failed',
  },
}

export function errors({ visit }: Scene): void {
  describe('7. An error has exactly code, message and request_id, which is also in x-request-id', () => {
    for (const [what, { path, ask, status, code }] of Object.entries(refusals)) {
      promise(`${what}: ${status} ${code}`, () =>
        onBothBases(async base => {
          const exchange = await visit.ask(base + path, ask)
          const message = expectError(exchange, status, code)
          assert.doesNotMatch(message, /select |stack|\bat .*:\d+|node_modules|\/home\//i, told(exchange))
        }),
      )
    }

    promise('another path beside both bases: 404 not_found', async () => {
      for (const path of ['/', '/api', '/nations', '/apis/v1/nations'])
        if (path !== '/') expectError(await visit.ask(path), 404, 'not_found')
    })

    promise('request ids differ from call to call', async () => {
      const ids: string[] = []
      await onBothBases(async base => {
        for (let call = 0; call < 5; call += 1)
          ids.push(digText((await visit.ask(`${base}/nowhere`)).json, 'error.request_id'))
      })
      assert.equal(new Set(ids).size, ids.length)
    })

    promise('a caller cannot choose the request id', async () => {
      await onBothBases(async base => {
        const chosen = 'chosen-by-the-caller'
        const exchange = await visit.ask(`${base}/nowhere`, { headers: { 'x-request-id': chosen } })
        expectError(exchange, 404, 'not_found')
        assert.notEqual(exchange.answered['x-request-id'], chosen)
      })
    })
  })
}
