import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface ScriptedServer {
  url: string
  /** What was requests, in order. */
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
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
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
const says =
  (status: number, headers: Record<string, string>, body: string): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(body)

const json = { 'content-type': 'application/json; charset=utf-8' }
export const good = says(200, json, '{"data":{"name":"Meridian"}}')
export const refuses = (status: number, code: string, headers: Record<string, string> = {}) =>
  says(
    status,
    { ...json, ...headers },
    JSON.stringify({ error: { code, message: 'No.', request_id: 'req_1' } }),
  )
export const page = (status: number) => says(status, { 'content-type': 'text/html' }, '<h1>Sorry</h1>')
export const sends = (text: string) => says(200, json, text)
