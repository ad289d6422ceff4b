import { type DeliveryError, webhooks } from '@chancery/contract'
import type { Dispatcher } from 'undici'

/** An error with its code alone: URLs and addresses are private to the owner of the endpoint. */
export class SendError extends Error {
  override name = 'SendError'
  readonly code: DeliveryError

  constructor(code: DeliveryError) {
    super(code)
    this.code = code
  }
}

/** The result of an attempt. */
export interface AttemptResponse {
  /** The status of the response; null without one, and `error` has the reason. */
  status: number | null
  error: DeliveryError | null
  /** The first kilobyte of the response body as text: well-formed UTF-8 without NUL. */
  body: string | null
  /** The Retry-After header as received. */
  retryAfter: string | null
  latencyMs: number
}

export interface SendRequestOptions {
  dispatcher: Dispatcher
  request: Dispatcher.DispatchOptions
  /** From now to the last byte that is read. */
  timeoutMs: number
  /** Receives a function that aborts the request; returns one that is called at its end. */
  onStart: (abort: () => void) => () => void
}

/** 1xx responses are skipped, up to this many. */
const interimMax = 20
/** The longest valid value, an HTTP date, has 29 characters. */
const retryAfterLengthMax = 100

/** Sends one request and reads the response. A received status is final, whatever happens to the body: the receiver has the message. */
export function sendRequest({
  dispatcher,
  request,
  timeoutMs,
  onStart,
}: SendRequestOptions): Promise<AttemptResponse> {
  return new Promise(resolve => {
    const startedAt = performance.now()
    const body = createBodyPrefix()
    let controller: Dispatcher.DispatchController | undefined
    let status: number | null = null
    let retryAfter: string | null = null
    let interims = 0
    let isOver = false

    function finish(error: DeliveryError | null): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      unsubscribe()
      const latencyMs = Math.round(performance.now() - startedAt)
      if (status === null) resolve({ status, error, body: null, retryAfter, latencyMs })
      else resolve({ status, error: null, body: body.text(), retryAfter, latencyMs })
    }

    /** Ends the connection as well, so that no more is read. */
    function abort(error: DeliveryError | null): void {
      finish(error)
      controller?.abort(new Error('stopped'))
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new Error('stopped'))
      },
      onResponseStart(_controller, statusCode, headers) {
        if (isOver) return
        if (statusCode < 200) {
          if (++interims > interimMax) abort('not_http')
          return
        }
        status = statusCode
        const value = headers['retry-after']
        if (typeof value === 'string' && value.length <= retryAfterLengthMax) retryAfter = value
      },
      onResponseData(_controller, chunk) {
        if (!isOver && body.add(chunk)) abort(null)
      },
      onResponseEnd: () => finish(null),
      onResponseError: (_controller, error) => finish(deliveryErrorOf(error)),
    }

    // Timers run before sockets are read: a busy process reads its sockets once more before it reports a timeout.
    const timer = setTimeout(() => setImmediate(abort, 'timed_out'), timeoutMs)
    const unsubscribe = onStart(() => abort('stopped'))
    dispatcher.dispatch(request, handler)
  })
}

/** Collects the beginning of a response body. */
function createBodyPrefix() {
  const kept: Buffer[] = []
  let bytes = 0
  return {
    /** Returns whether the limit of bytes to read is reached. */
    add(chunk: Buffer): boolean {
      const room = webhooks.responseBytesKept - bytes
      // A copy: a slice would keep the whole chunk in memory.
      if (room > 0) kept.push(Buffer.from(chunk.subarray(0, room)))
      bytes += chunk.length
      return bytes >= webhooks.responseBytesMax
    },
    /** Well-formed, and without NUL, which PostgreSQL cannot store. */
    text(): string {
      if (bytes === 0) return ''
      // As a stream: an incomplete character at the end is left out.
      return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '\uFFFD')
    },
  }
}

/** undici reports broken headers after a Content-Length as a broken body. */
const notHttp = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

/** Classifies an error of an established connection. */
function deliveryErrorOf(error: Error & { code?: unknown }): DeliveryError {
  if (error instanceof SendError) return error.code
  const code = String(error.code)
  // TLS 1.3 reports a missing client certificate only after the handshake.
  if (code.startsWith('ERR_SSL_')) return 'tls_failed'
  if (error.name === 'HTTPParserError' || notHttp.has(code)) return 'not_http'
  // An unrequested response: a protocol switch, or a second response on the same connection.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'not_http'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return 'closed_early'
  return 'connection_failed'
}
