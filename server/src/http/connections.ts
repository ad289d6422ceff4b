import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import { addressBucket } from '../limits/rate-limit.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** Timeouts of a connection, in ms. */
export interface ConnectionTimings {
  /** To receive the head of a request. */
  headMs: number
  /** To receive a whole request. */
  requestMs: number
  /** Without traffic while a request is in progress. Longer than the interval of SSE heartbeats. */
  stalledMs: number
  /** Keep-alive between two requests. */
  idleMs: number
  /** Interval in which the first two are checked. */
  checkMs: number
  /** To receive the head of a request while connections are scarce. */
  crowdedHeadMs: number
  /** After the last response, until the client has closed its side. */
  lingerMs: number
}

export const defaultConnectionTimings: ConnectionTimings = {
  headMs: 10_000,
  requestMs: 30_000,
  stalledMs: 60_000,
  idleMs: 72_000,
  checkMs: 1_000,
  crowdedHeadMs: 1_000,
  lingerMs: 2_000,
}

export interface ConnectionLimits {
  trusted: TrustedProxies
  registry: Registry
  /** Open at a time. */
  connectionsMax?: number
  /** Unsent bytes on all connections together. */
  unsentBytesMax?: number
  /** As in `ConnectionTimings`. */
  crowdedHeadMs?: number
}

/**
 * Destroys connections whose TLS handshake fails or takes too long. Node passes them to the handler of parser errors, which cannot send
 * anything on them.
 */
export function destroyFailedHandshakes(server: Server): void {
  server.prependListener('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
}

/** The share of all connections that one address may have, and while connections are scarce. */
const shareOfOne = 1 / 4
const crowdedShareOfOne = 1 / 16

/** From this share on connections are scarce: idle ones are closed. */
const crowdedFrom = 3 / 4

/** Least interval in which the unsent bytes are summed up. */
const sumEveryMs = 100

interface OpenConnection {
  socket: Socket
  /** Requests whose response is not sent yet. */
  requests: number
  /** When it began to wait for the head of a request, as `performance.now()`. */
  waitsSince: number
}

/**
 * Limits connections: all of them, those of one IPv4 address or IPv6 /64, and their unsent bytes, so that no client keeps others out.
 * Trusted proxies, which connect for many clients, have no limit per address. Excess connections are closed.
 */
export function limitConnections(server: Server, rules: ConnectionLimits): void {
  const { trusted, registry, connectionsMax: max = connectionsMax() } = rules
  const { unsentBytesMax = 64 * 1_048_576, crowdedHeadMs = defaultConnectionTimings.crowdedHeadMs } = rules
  const held = new Map<string, number>()
  const open = new Map<string, OpenConnection>()
  const connectionOf = new WeakMap<Socket, OpenConnection>()
  let madeRoomAt = Number.NEGATIVE_INFINITY
  let summedAt = Number.NEGATIVE_INFINITY
  const registers = [registry]
  const refused = new Counter({
    name: 'chancery_connections_refused_total',
    help: 'Connections closed, by reason: per-address limit (address), total limit (all), unsent-bytes limit (unsent).',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['address', 'all', 'unsent']) refused.inc({ reason }, 0)
  new Gauge({
    name: 'chancery_connections_open',
    help: 'Connections to the public listener that are open.',
    registers,
    collect() {
      this.set(open.size)
    },
  })

  const isCrowded = () => open.size >= max * crowdedFrom

  /** Closes idle connections, and those on which a TLS handshake or the head of a request has been incomplete for too long. */
  function makeRoom(): void {
    const now = performance.now()
    if (!isCrowded() || now - madeRoomAt < crowdedHeadMs / 4) return
    madeRoomAt = now
    server.closeIdleConnections()
    for (const { socket, requests, waitsSince } of open.values())
      if (requests === 0 && now - waitsSince >= crowdedHeadMs) socket.destroy()
  }

  /** Beyond the limit of unsent bytes, closes the connections with the most: their clients do not read. */
  function limitUnsent(): void {
    const now = performance.now()
    if (now - summedAt < sumEveryMs) return
    summedAt = now
    let sum = 0
    for (const { socket } of open.values()) sum += socket.writableLength
    if (sum <= unsentBytesMax) return
    const sockets = [...open.values()].map(({ socket }) => socket)
    for (const socket of sockets.sort((one, other) => other.writableLength - one.writableLength)) {
      sum -= socket.writableLength
      socket.destroy()
      refused.inc({ reason: 'unsent' })
      if (sum <= unsentBytesMax) return
    }
  }

  server.maxConnections = max
  server.on('drop', () => {
    refused.inc({ reason: 'all' })
    makeRoom()
  })

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const subject = addressBucket(remoteAddress)
    const count = held.get(subject) ?? 0
    const share = isCrowded() ? crowdedShareOfOne : shareOfOne
    if (count >= max * share && !trusted.includes(remoteAddress)) {
      refused.inc({ reason: 'address' })
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    const connection = { socket, requests: 0, waitsSince: performance.now() }
    held.set(subject, count + 1)
    open.set(peer, connection)
    connectionOf.set(socket, connection)
    socket.once('close', () => {
      const left = (held.get(subject) ?? 1) - 1
      if (left === 0) held.delete(subject)
      else held.set(subject, left)
      open.delete(peer)
    })
    makeRoom()
  })

  // With TLS, requests have another socket than the connection.
  server.on('secureConnection', (socket: Socket) => {
    const connection = open.get(peerOf(socket))
    if (!connection) return
    connection.socket = socket
    connectionOf.set(socket, connection)
  })

  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    limitUnsent()
    const connection = connectionOf.get(socket)
    if (!connection) return
    connection.requests += 1
    res.once('close', () => {
      connection.requests -= 1
      connection.waitsSince = performance.now()
    })
  })
}

const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`

/** A connection takes some 10 KB: 200 MB at most. */
const connectionsAtMost = 20_000

/** Open files of the rest of the process: database, webhooks, files. At most half of all. */
const reservedFiles = 500

/** The limit of connections to the public listener: without a free file descriptor the database could not be reached either. */
export function connectionsMax(filesMax = readFilesMax()): number {
  const forConnections = Math.max(filesMax - reservedFiles, Math.floor(filesMax / 2))
  return Math.min(connectionsAtMost, forConnections)
}

/** The limit of open files of this process. Node raises the soft limit to the hard one when it starts. */
function readFilesMax(): number {
  try {
    const [, files] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return files === undefined ? Number.POSITIVE_INFINITY : Number(files)
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY
  }
}

/** How much is read and discarded. nginx passes on bodies of up to 1 MiB by default. */
const lingerBytesMax = 2 * 1_048_576

/**
 * Closes a connection so that the peer gets the response: sends the last bytes, reads and discards what still arrives, and destroys the
 * socket when the peer has closed its side, at the latest after `lingerMs` or 2 MiB. Closing a socket with unread bytes resets the
 * connection: the peer loses the response, and a proxy counts the process as failed.
 */
export function lingeringClose(socket: Duplex, lastBytes: string, lingerMs: number): void {
  if (socket.destroyed) return
  let bytes = 0
  // Detaches the HTTP parser.
  socket.removeAllListeners('data')
  socket.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > lingerBytesMax) socket.destroy()
  })
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy()
    else socket.once('finish', () => socket.destroy())
  })
  const deadline = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(deadline))
  socket.end(lastBytes)
  socket.resume()
  // resume() alone does not read where Node's HTTP server has paused the connection.
  socket._read(0)
}

/** Lets a server linger where it closes a connection before it has read the whole request. */
export function lingerOnClose(server: Server, lingerMs: number): void {
  const linger = (req: IncomingMessage): void => {
    const { socket, headers } = req
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (req.complete) Socket.prototype.destroySoon.call(socket)
      else lingeringClose(socket, '', lingerMs)
    }
  }
  server.prependListener('request', linger)
  server.prependListener('checkExpectation', linger)
}
