import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type Admission, apiHeaders, rateHeaders } from './admission.ts'
import { ApiError, errorBody, rateLimited } from './http-error.ts'
import { lingeringClose } from './lingering-close.ts'
import { waitingMax } from './pipelining.ts'
import type { RequestIds } from './request-id.ts'
import type { RequestMetrics } from './request-metrics.ts'

export interface ProtocolErrorOptions {
  /** How long a connection stays open after its last response, in ms. */
  lingerMs: number
  /** Sent with every response of the listener. */
  fixedHeaders?: Readonly<Record<string, string>>
}

/**
 * Answers what never becomes a request: what the parser refuses, CONNECT, expectations that nobody fulfils, and what is sent too far
 * ahead of the answers.
 * Nothing is taken from a bucket; the headers state that of the socket's peer.
 */
export function createProtocolErrors(
  admission: Pick<Admission, 'peek'>,
  requestIds: RequestIds,
  requestMetrics: Pick<RequestMetrics, 'recordUnrouted'>,
  { lingerMs, fixedHeaders = {} }: ProtocolErrorOptions,
) {
  async function answerOf(address: string | undefined, error: ApiError) {
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
    const { body, headers } = await answerOf(address, error)
    if (!socket.writable) return
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    lingeringClose(
      socket,
      `HTTP/1.1 ${error.status} ${reasons[error.status] ?? 'Error'}\r\n${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`,
      lingerMs,
    )
  }

  function answer(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
    answerOf(req.socket.remoteAddress, error).then(
      ({ headers, body }) => res.writeHead(error.status, headers).end(body),
      () => req.socket.destroy(),
    )
  }

  return {
    /** For `boundPipelining`. */
    refuseToWait: (req: IncomingMessage, res: ServerResponse): void =>
      answer(
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
      const answered = new ApiError(codes[error.code ?? ''] ?? 'bad_request')
      void writeRaw(socket, answered, isHead(error)).catch(() => socket.destroy())
    },

    listenTo(server: Server): void {
      server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
        socket.on('error', () => socket.destroy())
        const error = new ApiError('method_not_allowed', undefined, { allow: 'GET, HEAD, OPTIONS' })
        void writeRaw(socket, error).catch(() => socket.destroy())
      })
      server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
        answer(req, res, new ApiError('expectation_failed')),
      )
    },
  }
}

/** What Node says of a request that its parser refuses. */
interface ClientError extends Error {
  code?: string
  /** What had arrived together when it was refused, and how far it was read. */
  rawPacket?: unknown
  bytesParsed?: number
}

/** Whether it began with HEAD: its answer has no body. Of one whose beginning arrived earlier nobody knows. */
function isHead({ rawPacket, bytesParsed }: ClientError): boolean {
  const read = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, bytesParsed) : ''
  const [begun = ''] = read.split('\r\n\r\n').slice(-1)
  return begun.startsWith('HEAD ')
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

/** One that Fastify knows and that no route allows. It has no body to be read. */
const substituteMethod = 'TRACE'

/**
 * Lets one method stand for all that Fastify knows nothing of: a call with one of them finds its route and is refused there, with what is
 * allowed. A tree of routes for each of Node's thirty would hold 6 MB.
 */
export function mapUnknownMethods(app: FastifyInstance): void {
  const usual = new Set(app.supportedMethods)
  app.server.prependListener('request', (req: IncomingMessage) => {
    if (!usual.has(req.method ?? '')) req.method = substituteMethod
  })
}
