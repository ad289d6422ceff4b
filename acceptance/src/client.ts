import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport, type Exchange } from './exchange.ts'
import { expectStatus } from './expect.ts'
import type { Settings } from './settings.ts'
import { skip } from './spec-test.ts'

/** Both bases. Every promise holds for each. */
export const bases = ['/api/v1', '/api/public/v1'] as const
export const [canonical, mirror] = bases

export async function onBothBases(check: (base: string) => Promise<void>): Promise<void> {
  for (const base of bases) await check(base)
}

export interface RequestOptions {
  method?: string
  /** A key, `null` for an anonymous request; default: the suite's own. */
  key?: string | null
  headers?: Record<string, string>
  body?: string
  /** Whether a 429 is expected; otherwise the request is retried after Retry-After. */
  expectsLimit?: boolean
}

/** Sends requests to the server under test, and records all responses. */
export interface Client {
  settings: Settings
  exchanges: readonly Exchange[]
  /** The key of requests without their own. */
  ownKey: string | undefined
  /** Sends a request to a path of the server, such as /api/v1/nations. */
  request(path: string, options?: RequestOptions): Promise<Exchange>
  /** Expects a 200 as the server documents it. Returns the body. */
  read(path: string, options?: RequestOptions): Promise<unknown>
  /** Sends a request to the operator API. Skips the test without access to it. */
  requestOperator(method: string, path: string, body?: unknown): Promise<Exchange>
  close(): void
}

const attemptsMax = 4

/** `problemsOf` finds the deviations of a response from the document of the API. */
export function createClient(settings: Settings, problemsOf?: (exchange: Exchange) => string[]): Client {
  const transport = createTransport()
  const exchanges: Exchange[] = []
  const client: Client = {
    settings,
    exchanges,
    ownKey: settings.key,
    request,
    async read(path, options) {
      const exchange = expectStatus(await request(path, options), 200)
      assert.deepEqual(problemsOf?.(exchange), [], exchange.url)
      return exchange.json
    },
    requestOperator,
    close: transport.close,
  }
  return client

  async function request(path: string, options: RequestOptions = {}): Promise<Exchange> {
    const { method = 'GET', key = client.ownKey ?? null, headers = {}, body, expectsLimit = false } = options
    const sent = {
      method,
      url: settings.baseUrl + path,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    }
    for (let attempt = 1; ; attempt += 1) {
      const exchange = await transport.send(sent)
      exchanges.push(exchange)
      if (exchange.status !== 429 || expectsLimit || attempt === attemptsMax) return exchange
      await sleep(Number(exchange.responseHeaders['retry-after'] ?? 1) * 1000)
    }
  }

  function requestOperator(method: string, path: string, body?: unknown): Promise<Exchange> {
    const { operator } = settings
    if (!operator) return skip('needs the operator API: its URL and token, or the data directory')
    return transport.send({
      method,
      url: operator.url + path,
      headers: {
        authorization: `Bearer ${operator.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}
