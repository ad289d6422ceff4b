import { Chancery, type ChanceryOptions } from '../../src/index.ts'
import { type ManualClock, manualClock } from './clocks.ts'

export interface ReceivedRequest {
  /** Below the base. */
  path: string
  headers: Headers
  signal: AbortSignal
}

/** A client whose responses come from a function of the test. */
export interface FakeServer {
  client: Chancery
  clock: ManualClock
  requests: ReceivedRequest[]
}

export const bodyOf = (data: unknown, headers: Record<string, string> = {}, status = 200) =>
  new Response(JSON.stringify({ data }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

export const pageOf = (data: unknown[], headers: Record<string, string> = {}) =>
  new Response(
    JSON.stringify({
      data,
      pagination: { page: 1, limit: 25, total: data.length, pages: Math.min(1, data.length) },
    }),
    { headers: { 'content-type': 'application/json', ...headers } },
  )

export function fakeServer(
  respond: (requests: ReceivedRequest) => Response | Promise<Response>,
  options: Partial<ChanceryOptions> = {},
): FakeServer {
  const clock = manualClock()
  const requests: ReceivedRequest[] = []
  const client = new Chancery({
    baseUrl: 'https://api.game.example',
    clock,
    random: () => 0.5,
    async fetch(input, init) {
      const url = new URL(String(input))
      const one: ReceivedRequest = {
        path: url.pathname.replace('/api/public/v1', '') + url.search,
        headers: new Headers(init?.headers),
        signal: init?.signal ?? new AbortController().signal,
      }
      requests.push(one)
      const { promise: given, reject } = Promise.withResolvers<never>()
      one.signal.addEventListener('abort', () => reject(one.signal.reason), { once: true })
      given.catch(() => {})
      return Promise.race([respond(one), given])
    },
    ...options,
  })
  return { client, clock, requests }
}
