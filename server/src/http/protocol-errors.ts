/**
 * Requests that the router cannot handle: responses to protocol errors (`createProtocolErrors`), a limit on pipelined requests
 * (`limitPipelining`), and methods that Fastify does not route (`mapUnknownMethods`).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type Admission, apiHeaders, rateHeaders } from './admission.ts'
import { lingeringClose } from './connections.ts'
import { ApiError, errorBody, rateLimited } from './http-error.ts'
import type { RequestIds } from './request-id.ts'
import type { RequestMetrics } from './request-metrics.ts'

export interface ProtocolErrorOptions {
  /** How long a connection stays open after its last response, in ms. */
  lingerMs: number
  /** Sent with every response of the listener. */
  fixedHeaders?: Readonly<Record<string, string>>
}

/**
 * Responds to what does not reach the router: requests that the parser rejects, CONNECT, unsupported expectations, and too many pipelined
 * requests. Nothing is consumed from a bucket; the headers state that of the socket's peer.
 */
export function createProtocolErrors(
  admission: Pick<Admission, 'peek'>,
  requestIds: RequestIds,
  requestMetrics: Pick<RequestMetrics, 'recordUnrouted'>,
  { lingerMs, fixedHeaders = {} }: ProtocolErrorOptions,
) {
  let lastResponse: LastResponse = () => undefined
  const rejected = new WeakSet<Duplex>()

  async function responseFor(address: string | undefined, error: ApiError) {
    const requestId = requestIds.make()
    const body = errorBody(error, requestId)
    const headers = {
      ...fixedHeaders,
      ...apiHeaders,
      ...rateHeaders(await admission.peek(address)),
      ...error.headers,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      connection: 'close',
    }
    requestMetrics.recordUnrouted({ requestId, address, status: error.status })
    return { body, headers }
  }

  async function writeRaw(socket: Duplex, error: ApiError, isHead = false): Promise<void> {
    const address = (socket as Socket).remoteAddress
    const { body, headers } = await responseFor(address, error)
    if (!socket.writable) return
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    lingeringClose(
      socket,
      `HTTP/1.1 ${error.status} ${reasons[error.status] ?? 'Error'}\r\n${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`,
      lingerMs,
    )
  }

  /** Writes an error after the responses to the requests before it. Once: each further packet is an error again. */
  function writeInTurn(socket: Duplex, error: ApiError, isHead?: boolean): void {
    if (rejected.has(socket)) return
    rejected.add(socket)
    const write = () => void writeRaw(socket, error, isHead).catch(() => socket.destroy())
    const before = lastResponse(socket)
    if (before && !before.closed) before.once('close', write)
    else write()
  }

  function respond(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
    responseFor(req.socket.remoteAddress, error).then(
      ({ headers, body }) => res.writeHead(error.status, headers).end(body),
      () => req.socket.destroy(),
    )
  }

  return {
    /** For `limitPipelining`. */
    rejectPipelining: (req: IncomingMessage, res: ServerResponse): void =>
      respond(
        req,
        res,
        rateLimited(
          'pipelining',
          1,
          `Too many pipelined requests: at most ${waitingMax}, of 64 KB together, may wait on one connection. Wait for a response before you send the next request, or open another connection.`,
        ),
      ),

    /** For Fastify's `clientErrorHandler`. */
    onClientError(error: ClientError, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
        return
      }
      writeInTurn(socket, new ApiError(codes[error.code ?? ''] ?? 'bad_request'), isHead(error))
    },

    /** `last` is of `limitPipelining`. */
    listenTo(server: Server, last: LastResponse): void {
      lastResponse = last
      server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
        socket.on('error', () => socket.destroy())
        writeInTurn(socket, new ApiError('method_not_allowed', undefined, { allow: 'GET, HEAD, OPTIONS' }))
      })
      server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
        respond(req, res, new ApiError('expectation_failed')),
      )
    },
  }
}

/** Node's error for a request that its parser rejects. */
interface ClientError extends Error {
  code?: string
  /** The packet in which the error is, and how far it was parsed. */
  rawPacket?: unknown
  bytesParsed?: number
}

/** Whether the request is a HEAD, whose response has no body. Unknown, and false, where it began in an earlier packet. */
function isHead({ rawPacket, bytesParsed }: ClientError): boolean {
  const read = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, bytesParsed) : ''
  const [start = ''] = read.split('\r\n\r\n').slice(-1)
  return start.startsWith('HEAD ')
}

const codes: Record<string, 'headers_too_large' | 'request_timeout'> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** A method that Fastify routes and no route allows. It has no body. */
const substituteMethod = 'TRACE'

/**
 * Maps methods that Fastify does not route to one that it does, so that the route responds with 405 and Allow. A routing tree for each of
 * Node's thirty methods would take 6 MB.
 */
export function mapUnknownMethods(app: FastifyInstance): void {
  const routed = new Set(app.supportedMethods)
  app.server.prependListener('request', (req: IncomingMessage) => {
    if (!routed.has(req.method ?? '')) req.method = substituteMethod
  })
}

/** How many requests may wait on one connection. */
const waitingMax = 32
/** Size of their request lines and headers together. */
const waitingBytesMax = 65_536

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** The response to the last request of a connection. */
type LastResponse = (socket: Duplex) => ServerResponse | undefined

/**
 * Handles pipelined requests one by one, each after the response before it was handed to the operating system. Node would handle all at
 * once and keep their responses in memory: 33 requests of 44 bytes would hold 33 responses that their sender does not read. Number and
 * size of waiting requests are limited as well, because Node parses thousands of requests in one packet of 64 KB at once. The first
 * one beyond the limit gets `reject` in its turn, which ends the connection; what follows is read for at most `lingerMs` and discarded.
 */
export function limitPipelining(server: Server, reject: Handle, lingerMs: number): LastResponse {
  const current = new WeakMap<Duplex, ServerResponse>()
  const waiting = new WeakMap<Duplex, [IncomingMessage, ServerResponse][]>()
  const ended = new WeakSet<Socket>()
  const [handle] = server.listeners('request') as Handle[]
  if (!handle) throw new Error('the server has no request handler yet')
  server.off('request', handle)

  function handleNext(socket: Socket): void {
    const queue = waiting.get(socket) ?? []
    const [req, res] = queue.shift() ?? []
    // Without a socket the connection was closed before its turn.
    if (!req || !res?.socket) return
    current.set(socket, res)
    if (queue.length > 0) res.once('close', () => handleNext(socket))
    handle?.(req, res)
  }

  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req
    // A response gets its socket when it is the first in line, usually at once.
    if (res.socket !== null) {
      current.set(socket, res)
      return handle(req, res)
    }
    const queue = waiting.get(socket) ?? []
    waiting.set(socket, queue)
    if (ended.has(socket)) return
    const waitingBytes = queue.reduce((sum, [waiting]) => sum + headBytes(waiting), headBytes(req))
    if (queue.length < waitingMax && waitingBytes <= waitingBytesMax) {
      if (queue.length === 0) current.get(socket)?.once('close', () => handleNext(socket))
      queue.push([req, res])
      return
    }
    ended.add(socket)
    socket.pause()
    // Node resumes the socket after every request; this one stays paused.
    socket.resume = () => socket
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'resume')
      lingeringClose(socket, '', lingerMs)
    }
    reject(req, res)
  })
  return socket => waiting.get(socket)?.at(-1)?.[1] ?? current.get(socket)
}

const headBytes = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length, url.length)
