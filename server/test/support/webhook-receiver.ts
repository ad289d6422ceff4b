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
  /** The sender closed the connection before the response, so it does not know that the message arrived. */
  isCutOff: boolean
}

/** Responds to a message. */
export type Behaviour = (response: ServerResponse, received: Received) => void

/** A webhook receiver on loopback. Each path is an endpoint of its own; the default response is 204. */
export interface WebhookReceiver {
  url(path: string): string
  /** All messages, tests included, in order of arrival. */
  received: Received[]
  /** The messages to a path without tests. */
  eventsAt(path: string): Received[]
  testsAt(path: string): Received[]
  respondWith(path: string, behaviour: Behaviour): void
  /** The most messages in flight at a path at one time. */
  peakInFlight(path: string): number
  /** Closes the port and the connections. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

export const respondStatus =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Behaviour =>
  response =>
    response.writeHead(status, headers).end(body)

export const respondAfter =
  (ms: number, behaviour: Behaviour = respondStatus(204)): Behaviour =>
  (response, received) =>
    setTimeout(behaviour, ms, response, received)

export const neverRespond: Behaviour = () => undefined

export const isTest = ({ id }: Received): boolean => id.startsWith('evt_test_')

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const inFlight = new Map<string, number>()
  const peaks = new Map<string, number>()

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const count = (inFlight.get(path) ?? 0) + 1
    inFlight.set(path, count)
    peaks.set(path, Math.max(count, peaks.get(path) ?? 0))
    // Counted down before the response is sent: after it the sender may send the next message.
    const end = response.end.bind(response)
    let isOver = false
    const leave = () => {
      if (!isOver) inFlight.set(path, (inFlight.get(path) ?? 0) - 1)
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
    const behave = behaviours.get(path) ?? respondStatus(204)
    behave(response, message)
  }

  let port = 0
  let server: http.Server | undefined
  async function start(): Promise<void> {
    server = http.createServer((request, response) => {
      // The sender may be killed while it sends.
      receive(request, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  async function stop(): Promise<void> {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    server = undefined
    await closed
  }
  await start()

  return {
    url: path => `http://127.0.0.1:${port}${path}`,
    received,
    eventsAt: path => received.filter(message => message.path === path && !isTest(message)),
    testsAt: path => received.filter(message => message.path === path && isTest(message)),
    respondWith: (path, behaviour) => void behaviours.set(path, behaviour),
    peakInFlight: path => peaks.get(path) ?? 0,
    stop,
    start,
    close: stop,
  }
}
