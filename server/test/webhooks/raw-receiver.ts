import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from './certificate.ts'

/** A receiver of messages that answers byte by byte as a test says. */
export interface RawReceiver {
  port: number
  /** By address; a certificate is for a name. */
  url: string
  /** The requests that came, each as its bytes. */
  requests: string[]
  /** How many connections were ever made, also those that failed in the handshake. */
  connectionCount(): number
  openCount(): number
  /** Whatever came over all connections, the handshake's bytes included. */
  bytesReceived(): number
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>
}

/** Called with every complete request, and which one it is on the receiver, from 0. */
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
      for (const ingest of closed) ingest()
      closed.clear()
    })
  })
  const port = await listen(server)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
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

/** Listens on the loopback; resolves with the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function requestEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  const end = head + 4 + length
  return text.length >= end ? end : undefined
}

/** Answers every request with this status, and keeps the connection. */
export function answering(status: number, body = 'ok', headers: string[] = []): OnRequest {
  const lines = [`HTTP/1.1 ${status} Said`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers]
  return socket => void socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers every request with these bytes. */
export function saying(bytes: string | Buffer): OnRequest {
  return socket => void socket.write(bytes)
}

/** Says something every few milliseconds, until the connection ends. */
export function dripping(first: string, drop: string): OnRequest {
  return socket => {
    socket.write(first)
    const timer = setInterval(() => socket.write(drop), 5)
    socket.on('close', () => clearInterval(timer))
  }
}
