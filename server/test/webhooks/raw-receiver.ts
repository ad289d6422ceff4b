import { createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import {
  createSender,
  type Message,
  type Sender,
  type SenderOptions,
} from '../../src/webhooks/outbound/sender.ts'
import { listen } from '../support/listen.ts'
import type { Certificate } from './certificate.ts'

/** A webhook receiver on a TCP or TLS socket, which responds with any bytes. */
export interface RawReceiver {
  port: number
  /** The URL by address; certificates are for names. */
  url: string
  /** The received requests, as text. */
  requests: string[]
  /** The number of connections so far, failed handshakes included. */
  connectionCount(): number
  openCount(): number
  /** The received bytes of all connections, handshakes included. */
  bytesReceived(): number
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>
}

/** Called with the socket and the number of each complete request, from 0. */
export type OnRequest = (socket: Socket, number: number) => void

export interface ReceiverOptions {
  onConnect?: (socket: Socket) => void
  certificate?: Certificate
}

export async function startRawReceiver(
  t: TestContext,
  onRequest: OnRequest,
  { onConnect, certificate }: ReceiverOptions = {},
): Promise<RawReceiver> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const closed = new Set<() => void>()
  let connections = 0
  let bytes = 0

  const serve = (socket: Socket) => {
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', data => {
      text += data.toString('latin1')
      for (let end = requestEnd(text); end !== undefined; end = requestEnd(text)) {
        requests.push(text.slice(0, end))
        text = text.slice(end)
        onRequest(socket, requests.length - 1)
      }
    })
    onConnect?.(socket)
  }
  const server: Server = certificate ? createTlsServer(certificate, serve) : createServer(serve)
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => {
      bytes += socket.bytesRead
      sockets.delete(socket)
      if (sockets.size > 0) return
      for (const resolve of closed) resolve()
      closed.clear()
    })
  })
  const port = await listen(server, t)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })

  return {
    port,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}/hooks`,
    requests,
    connectionCount: () => connections,
    openCount: () => sockets.size,
    bytesReceived: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytes),
    allClosed: () => (sockets.size === 0 ? Promise.resolve() : new Promise(resolve => closed.add(resolve))),
  }
}

function requestEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  const end = head + 4 + length
  return text.length >= end ? end : undefined
}

/** Responds to every request with this status, and keeps the connection. */
export function withStatus(status: number, body = 'ok', headers: string[] = []): OnRequest {
  const lines = [`HTTP/1.1 ${status} Status`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers]
  return socket => void socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Responds to every request with these bytes. */
export function withBytes(bytes: string | Buffer): OnRequest {
  return socket => void socket.write(bytes)
}

/** Sends a piece every few milliseconds, until the connection ends. */
export function trickle(first: string, piece: string): OnRequest {
  return socket => {
    socket.write(first)
    const timer = setInterval(() => socket.write(piece), 5)
    socket.on('close', () => clearInterval(timer))
  }
}

/** A sender that is closed with its test. Its defaults allow local receivers, and a timeout that a busy machine does not reach. */
export function openSender(t: TestContext, options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ allowsLocal: true, timeoutMs: 60_000, ...options })
  t.after(() => sender.close())
  return sender
}

export const messageTo = (url: string): Message => ({
  url,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Chancery/1.2.3',
    'webhook-id': 'evt_1',
  },
  body: '{"type":"war.declared","data":{"note":"größer"}}',
})

/** Sends one message to a receiver of the test. */
export async function sendTo(
  t: TestContext,
  onRequest: OnRequest,
  options: Partial<SenderOptions> = {},
  receiverOptions: ReceiverOptions = {},
) {
  const receiver = await startRawReceiver(t, onRequest, receiverOptions)
  return { receiver, ...(await openSender(t, options).send(messageTo(receiver.url))) }
}
