import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runPython } from './python.ts'

export type Responder = (res: ServerResponse, req: IncomingMessage) => unknown

/** A request that was received. */
export interface CannedRequest {
  /** Path and query. */
  target: string
  headers: IncomingMessage['headers']
  /** Number of its connection, from 1. */
  connection: number
  /** Unix ms. */
  at: number
}

/** A server of canned responses, valid or not, that records its requests. */
export interface CannedServer {
  url: string
  requests: CannedRequest[]
  close(): Promise<void>
}

/** Sends each response in turn, and the last one from then on. */
export async function startServer(...responders: Responder[]): Promise<CannedServer> {
  const requests: CannedRequest[] = []
  const connections = new WeakMap<object, number>()
  let opened = 0
  const server = createServer((req, res) => {
    requests.push({
      target: req.url ?? '',
      headers: req.headers,
      connection: connections.get(req.socket) ?? 0,
      at: Date.now(),
    })
    const respond = responders[Math.min(requests.length, responders.length) - 1]
    if (respond) respond(res, req)
    else res.destroy()
  })
  server.on('connection', socket => {
    opened += 1
    connections.set(socket, opened)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Uses a server of these responses, and closes it. */
export async function withServer<T>(
  responders: readonly Responder[],
  use: (server: CannedServer) => Promise<T>,
): Promise<T> {
  const server = await startServer(...responders)
  return use(server).finally(server.close)
}

/** Runs a script against these responses. Returns what it reported, its requests, and their targets below the base. */
export const runWith = (script: string, ...responders: Responder[]) =>
  withServer(responders, async ({ url, requests }) => {
    const results = await runPython(script, { url })
    return { results, requests, targets: requests.map(({ target }) => target.replace('/api/v1', '')) }
  })

/** A JSON response. */
export const json =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Responder =>
  res =>
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** An error in the format of Chancery. */
export const apiError = (status: number, code: string, headers: Record<string, string> = {}): Responder =>
  json({ error: { code, message: 'A message.', request_id: 'req_of_a_test' } }, headers, status)

/** A response that is not JSON. */
export const html =
  (status: number, headers: Record<string, string> = {}): Responder =>
  res =>
    res.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Bad Gateway</h1>')

export const page = (data: unknown[], number = 1, pages = 1, limit = 100) =>
  json({ data, pagination: { page: number, limit, total: data.length, pages } })

/** Closes the connection in the middle of the body. */
export const cutOff: Responder = res => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  res.write('{"data":[')
  setTimeout(() => res.destroy(), 20)
}

/** Closes the connection without a response. */
export const hangUp: Responder = res => res.destroy()
