import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Exchange } from '../../src/exchange.ts'
import { describeExchange, isErrorBody } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { specTest } from '../../src/spec-test.ts'
import { namesIn, privateMembers } from './1-what-the-service-does.ts'

const rateHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const
const shownMax = 5

/** Checks the rules for every response against all responses of this run. */
export function wholeRun({ client }: Fixture): void {
  describe('Every response of this run', () => {
    for (const header of rateHeaders) {
      specTest(`8. has ${header}, an integer`, () =>
        none(apiExchanges(), ({ responseHeaders }) => !/^[0-9]+$/.test(String(responseHeaders[header]))),
      )
    }

    specTest('8. has at most x-ratelimit-limit requests remaining', () =>
      none(
        apiExchanges(),
        ({ responseHeaders }) =>
          Number(responseHeaders['x-ratelimit-remaining']) > Number(responseHeaders['x-ratelimit-limit']),
      ),
    )

    specTest('7. has x-request-id', () =>
      none(
        apiExchanges(),
        ({ responseHeaders }) => !/^[A-Za-z0-9_-]{8,64}$/.test(String(responseHeaders['x-request-id'])),
      ),
    )

    specTest('1. is UTF-8 JSON, or has no body', () =>
      none(
        apiExchanges(),
        ({ method, status, bytes, problem, responseHeaders }) =>
          problem !== undefined ||
          (bytes === 0 && method !== 'HEAD' && status !== 204 && status !== 304) ||
          (bytes > 0 && responseHeaders['content-type'] !== 'application/json; charset=utf-8'),
      ),
    )

    specTest('7. is an error with code, message and request id if its status is 400 or more', () =>
      none(
        apiExchanges().filter(({ method }) => method !== 'HEAD'),
        exchange => exchange.status >= 400 && !isErrorBody(exchange),
      ),
    )

    specTest('7. has retry-after if its status is 429', () =>
      none(
        apiExchanges(),
        ({ status, responseHeaders }) =>
          status === 429 && !/^[1-9][0-9]*$/.test(String(responseHeaders['retry-after'])),
      ),
    )

    specTest('1. succeeds for no method but GET, HEAD and OPTIONS', () =>
      none(
        apiExchanges(),
        ({ method, status }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && status < 400,
      ),
    )

    specTest('1. has no private member, except for the own nation and the own treasury', () => {
      const names = new Set<string>(Object.values(privateMembers).flat())
      none(apiExchanges(), ({ url, json, status }) => {
        if (/\/(me\/nation|game)(\?|$)/.test(url) || (status === 200 && url.includes('include=treasury')))
          return false
        return [...namesIn(json)].some(name => names.has(name))
      })
    })

    specTest('has no status from 500 on', () => none(apiExchanges(), ({ status }) => status >= 500))
  })

  /** Responses of the API, without the document. */
  function apiExchanges(): Exchange[] {
    return client.exchanges.filter(({ url }) => !url.endsWith('/openapi.json'))
  }
}

function none(exchanges: readonly Exchange[], isWrong: (exchange: Exchange) => boolean): void {
  assert.ok(exchanges.length > 0)
  const wrong = exchanges.filter(isWrong)
  const shown = wrong
    .slice(0, shownMax)
    .map(exchange => `${describeExchange(exchange)} ${JSON.stringify(exchange.responseHeaders)}`)
  assert.equal(wrong.length, 0, `${wrong.length} of ${exchanges.length}:\n${shown.join('\n')}`)
}
