import { setTimeout as sleep } from 'node:timers/promises'
import { type Operate, retryRequest } from '../../support/operator-client.ts'
import type { ServeProcess } from '../../support/serve-process.ts'

/** The processes that serve at present. A killed one is missing until its successor has started. */
export interface RunningServers {
  up: ServeProcess[]
}

/** A response, and how long it took. */
export interface TimedResponse {
  /** By `performance.now`. */
  startedAt: number
  tookMs: number
  /** 0 if the connection failed. */
  status: number
  headers: Headers
  body: string
  from: ServeProcess | undefined
}

export interface LoadRequest {
  headers?: Record<string, string>
  /** The process that gets the request; default: a random one. */
  from?: ServeProcess
}

/** Whether the request may or may not have been processed. */
export const isUnknown = ({ status }: TimedResponse): boolean => status === 0 || status === 503

const timeoutMs = 30_000
const retryMs = 20

async function send(
  { up }: RunningServers,
  from: ServeProcess | undefined,
  makeRequest: (server: ServeProcess, signal: AbortSignal) => Promise<Response>,
): Promise<TimedResponse> {
  const startedAt = performance.now()
  const server = from ?? up[Math.floor(Math.random() * up.length)]
  const failed = { status: 0, headers: new Headers(), body: 'no process is serving' }
  const response = server
    ? await makeRequest(server, AbortSignal.timeout(timeoutMs))
        .then(async response => ({
          status: response.status,
          headers: response.headers,
          body: await response.text(),
        }))
        .catch(error => ({ ...failed, body: String(error.cause ?? error) }))
    : failed
  return { startedAt, tookMs: performance.now() - startedAt, ...response, from: server }
}

/** Sends a request to the public API of a running process. */
export const requestPublic = (
  servers: RunningServers,
  path: string,
  { headers = {}, from }: LoadRequest = {},
): Promise<TimedResponse> =>
  send(servers, from, ({ url }, signal) => fetch(`${url}/api/v1${path}`, { headers, signal }))

/** Posts to the operator API of a running process. */
export const requestOperator = (
  servers: RunningServers,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TimedResponse> => send(servers, undefined, ({ operate }) => operate('POST', path, body, headers))

/** Repeats a request until its result is known. `unknown` counts the results that were not. */
export async function retryUntilKnown(
  request: () => Promise<TimedResponse>,
): Promise<{ response: TimedResponse; unknown: number }> {
  for (let unknown = 0; ; unknown += 1) {
    const response = await request()
    if (!isUnknown(response)) return { response, unknown }
    await sleep(retryMs)
  }
}

/** An operator of the first running process. */
export const operatorOf = (servers: RunningServers): { operate: Operate } => ({
  operate: (...request) => {
    const [server] = servers.up
    if (!server) throw new Error('no process is serving')
    return retryRequest(() => server.operate(...request))
  },
})
