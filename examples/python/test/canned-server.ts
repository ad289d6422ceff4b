import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (res: ServerResponse, req: IncomingMessage) => unknown

/** A call as it came. */
export interface Call {
  /** Path and query. */
  target: string
  headers: IncomingMessage['headers']
  /** Which connection it came by, from 1 on. */
  connection: number
  /** Unix ms. */
  at: number
}

/** A server that answers as it is told, well or badly, and remembers what it was asked. */
export interface CannedServer {
  url: string
  calls: Call[]
  close(): Promise<void>
}

/** Gives the answers in turn, and the last one from then on. */
export async function serveCanned(...answers: Answer[]): Promise<CannedServer> {
  const calls: Call[] = []
  const connections = new WeakMap<object, number>()
  let opened = 0
  const server = createServer((req, res) => {
    calls.push({
      target: req.url ?? '',
      headers: req.headers,
      connection: connections.get(req.socket) ?? 0,
      at: Date.now(),
    })
    const answer = answers[Math.min(calls.length, answers.length) - 1]
    if (answer) answer(res, req)
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
    calls,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An answer of JSON. */
export const json =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Answer =>
  res =>
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** An error as Chancery words it. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json({ error: { code, message: 'So it is.', request_id: 'req_of_a_test' } }, headers, status)

/** Text that is no JSON. */
export const html =
  (status: number, headers: Record<string, string> = {}): Answer =>
  res =>
    res.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Bad Gateway</h1>')

export const page = (data: unknown[], number = 1, pages = 1, limit = 100) =>
  json({ data, pagination: { page: number, limit, total: data.length, pages } })

/** Ends the connection in the middle of the body. */
export const cutOff: Answer = res => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  res.write('{"data":[')
  setTimeout(() => res.destroy(), 20)
}

/** Ends the connection without a word. */
export const hangUp: Answer = res => res.destroy()
