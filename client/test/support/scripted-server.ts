import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from '../../../server/test/support/listen.ts'

export interface ScriptedServer {
  url: string
  /** In the order of arrival. */
  requests: IncomingMessage[]
}

/** Starts a server with a listener of the test, until the end of the test. */
export async function startScriptedServer(
  t: TestContext,
  listener: RequestListener,
): Promise<ScriptedServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    listener(req, res)
  })
  return { url: `http://127.0.0.1:${await listen(server, t)}`, requests }
}

export interface Proxy {
  url: string
  /** Paths below the base, in the order of requests. */
  requests: string[]
  /** Open connections to the target. */
  readonly open: number
}

/** Handles a request and may forward it. */
export type ProxyHandler = (call: {
  req: IncomingMessage
  res: ServerResponse
  path: string
  forward(bytesMax?: number): void
}) => void

/** Starts a proxy. `forward` forwards the response, truncated after this many bytes. */
export async function startProxy(t: TestContext, target: string, handle: ProxyHandler): Promise<Proxy> {
  const requests: string[] = []
  let open = 0
  function forward(req: IncomingMessage, res: ServerResponse, bytesMax = Number.POSITIVE_INFINITY): void {
    const { host: _host, ...headers } = req.headers
    const forwarded = request(new URL(req.url ?? '', target), { headers })
    open += 1
    forwarded.on('close', () => {
      open -= 1
    })
    forwarded.on('error', () => res.destroy())
    res.on('close', () => forwarded.destroy())
    forwarded.on('response', received => {
      let left = bytesMax
      res.writeHead(received.statusCode ?? 500, received.headers)
      res.flushHeaders()
      received.on('data', (chunk: Buffer) => {
        // Chunks may still arrive after the truncation.
        if (left <= 0) return
        res.write(chunk.subarray(0, left))
        left -= chunk.length
        if (left > 0) return
        received.destroy()
        // Flush first.
        setImmediate(() => res.destroy())
      })
      received.on('end', () => res.end())
      received.on('error', () => res.destroy())
    })
    forwarded.end()
  }
  const { url } = await startScriptedServer(t, (req, res) => {
    const path = (req.url ?? '').replace('/api/public/v1', '')
    requests.push(path)
    handle({ req, res, path, forward: bytesMax => forward(req, res, bytesMax) })
  })
  return {
    url,
    requests,
    get open() {
      return open
    },
  }
}

/** Calls one listener after the other; the last one for all further requests. */
export function inSequence(...listeners: RequestListener[]): RequestListener {
  let turn = 0
  return (req, res) => {
    const listener = listeners[Math.min(turn, listeners.length - 1)]
    turn += 1
    listener?.(req, res)
  }
}

/** Responds with status, headers and body. */
const responding =
  (status: number, headers: Record<string, string>, body: string): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(body)

const json = { 'content-type': 'application/json; charset=utf-8' }
export const good = responding(200, json, '{"data":{"name":"Meridian"}}')
export const rejecting = (status: number, code: string, headers: Record<string, string> = {}) =>
  responding(
    status,
    { ...json, ...headers },
    JSON.stringify({ error: { code, message: 'No.', request_id: 'req_1' } }),
  )
export const page = (status: number) => responding(status, { 'content-type': 'text/html' }, '<h1>Sorry</h1>')
export const sends = (text: string) => responding(200, json, text)
