import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** One message as it came in. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** The bytes that are signed. */
  body: string
  /** The event's id. */
  id: string
  atMs: number
  /** The sender closed the connection before it was answered: it does not know that the message has arrived. */
  isCutOff: boolean
}

/** How messages to a path are answered. */
export type Behaviour = (response: ServerResponse, received: Received) => void

/** A developer's receiver on loopback. Each path is an endpoint of its own, and answers 204 until told otherwise. */
export interface WebhookReceiver {
  url(path: string): string
  /** All that came, tests too, in the order in which it came. */
  received: Received[]
  /** The events that came to a path: what is no test. */
  newsAt(path: string): Received[]
  testsAt(path: string): Received[]
  answer(path: string, behaviour: Behaviour): void
  /** The most messages that were under way at a path at one time. */
  mostAtOnce(path: string): number
  /** Closes the port and breaks what is under way. */
  goDown(): Promise<void>
  /** Listens again on the same port. */
  comeUp(): Promise<void>
  close(): Promise<void>
}

export const withStatus =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Behaviour =>
  response =>
    response.writeHead(status, headers).end(body)

export const after =
  (ms: number, behaviour: Behaviour = withStatus(204)): Behaviour =>
  (response, received) =>
    setTimeout(behaviour, ms, response, received)

export const never: Behaviour = () => undefined

export const isTest = ({ id }: Received): boolean => id.startsWith('evt_test_')

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const underWay = new Map<string, number>()
  const most = new Map<string, number>()

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const count = (underWay.get(path) ?? 0) + 1
    underWay.set(path, count)
    most.set(path, Math.max(count, most.get(path) ?? 0))
    // From here on the sender may know: what is counted under way ends before it is told.
    const end = response.end.bind(response)
    let isOver = false
    const leave = () => {
      if (!isOver) underWay.set(path, (underWay.get(path) ?? 0) - 1)
      isOver = true
    }
    response.end = ((...parts: Parameters<typeof end>) => {
      leave()
      return end(...parts)
    }) as typeof response.end
    response.on('close', leave)
    const message: Received = {
      path,
      headers: request.headers,
      body: (await buffer(request)).toString(),
      id: String(request.headers['webhook-id']),
      atMs: Date.now(),
      isCutOff: isOver,
    }
    received.push(message)
    response.on('close', () => {
      message.isCutOff = !response.writableEnded
    })
    const behave = behaviours.get(path) ?? withStatus(204)
    behave(response, message)
  }

  let port = 0
  let server: http.Server | undefined
  async function comeUp(): Promise<void> {
    server = http.createServer((request, response) => {
      // Whoever sends may be killed in the middle of it.
      receive(request, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  async function goDown(): Promise<void> {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    server = undefined
    await closed
  }
  await comeUp()

  return {
    url: path => `http://127.0.0.1:${port}${path}`,
    received,
    newsAt: path => received.filter(message => message.path === path && !isTest(message)),
    testsAt: path => received.filter(message => message.path === path && isTest(message)),
    answer: (path, behaviour) => void behaviours.set(path, behaviour),
    mostAtOnce: path => most.get(path) ?? 0,
    goDown,
    comeUp,
    close: goDown,
  }
}
