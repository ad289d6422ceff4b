import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type DeliveryError, webhooks } from '@chancery/contract'
import type { Agent, Dispatcher } from 'undici'
import type { Connector, ConnectorOptions } from './connector.ts'
import { checkEndpointUrl, createNameLookup, isPublicAddress, SendError } from './guard.ts'

/** What one attempt sends. */
export interface Message {
  url: string
  headers: Record<string, string>
  body: string
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

export interface Sender {
  /** Posts one message. Never rejects. A signal that is aborted before the response makes it `stopped`. */
  send(message: Message, signal?: AbortSignal): Promise<AttemptResponse>
  /** Aborts requests in flight and closes all connections. */
  close(): Promise<void>
}

export interface SenderOptions extends Pick<ConnectorOptions, 'ca'> {
  /** For receivers under development: allows http and addresses that are not public. */
  allowsLocal: boolean
  lookup?: LookupFunction
  /** For a whole attempt, from the name lookup to the last byte that is read. */
  timeoutMs?: number
  /** How many idle connections may be kept, beyond those that the requests in flight need. */
  spareConnectionsMax?: number
  /** How long an idle connection is kept. */
  idleMs?: number
}

interface Transport {
  agent: Agent
  connector: Connector
}

/** Shorter than the five seconds after which many servers close: a request must not meet a connection that is being closed. */
const defaultIdleMs = 4_000

/** The HTTP client for webhooks. It reaches the public internet only, unless `allowsLocal`. */
export function createSender(options: SenderOptions): Sender {
  const { allowsLocal, ca, spareConnectionsMax = 500, idleMs = defaultIdleMs } = options
  const { timeoutMs = webhooks.timeoutSeconds * 1000 } = options
  const closing = new AbortController()
  const onAbort = createAbortFanOut()
  let inFlight = 0
  const openTransport = async (): Promise<Transport> => {
    const [{ Agent }, { createConnector }] = await Promise.all([import('undici'), import('./connector.ts')])
    const connector = createConnector({
      isAllowed: allowsLocal ? () => true : isPublicAddress,
      // During development names may be in /etc/hosts, which name servers do not serve.
      lookup:
        options.lookup ??
        (allowsLocal ? systemLookup : createNameLookup(stop => onAbort([closing.signal], stop))),
      timeoutMs,
      ca,
    })
    // The agent opens as many connections as needed, does not pipeline POST, and drops an origin when its last connection has closed.
    // With HTTP/2 it would hold back the requests to an origin until the first connection is established.
    const agent = new Agent({
      connect: connector.connect,
      allowH2: false,
      keepAliveTimeout: idleMs,
      // Caps what the receiver offers.
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: 16_384,
      // `sendRequest` has one timeout for the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    return { agent, connector }
  }
  // Loaded on the first message: most processes never send one, and it takes 10 MB.
  let transport: Promise<Transport> | undefined
  const openOnce = () => {
    // A failed import, perhaps for lack of file descriptors, is retried for the next message.
    transport ??= openTransport().catch(error => {
      transport = undefined
      throw error
    })
    return transport
  }

  return {
    async send({ url: text, headers, body }, signal) {
      const isStopped = () => closing.signal.aborted || signal?.aborted
      if (isStopped()) return unsent('stopped')
      // The rules may have changed since the endpoint was saved.
      const url = checkEndpointUrl(text, { allowsLocal })
      if (typeof url === 'string') return unsent('url_not_allowed')
      const { agent, connector } = await openOnce()
      if (isStopped()) return unsent('stopped')
      const { origin, pathname, search } = url
      inFlight++
      // A connection becomes idle one turn of the event loop after its response: by then the next message has opened another.
      const reset = connector.openCount() > 2 * inFlight + spareConnectionsMax
      try {
        return await sendRequest({
          dispatcher: agent,
          request: { origin, path: pathname + search, method: 'POST', headers, body, reset },
          timeoutMs,
          onStart: abort => onAbort(signal ? [closing.signal, signal] : [closing.signal], abort),
        })
      } finally {
        inFlight--
      }
    },
    async close() {
      closing.abort()
      const opened = await transport
      opened?.connector.close()
      await opened?.agent.destroy()
    },
  }
}

const unsent = (error: DeliveryError): AttemptResponse => ({
  status: null,
  error,
  body: null,
  retryAfter: null,
  latencyMs: 0,
})

/** Calls `stop` when one of the signals is aborted, until the returned function is called. */
type OnAbort = (signals: readonly AbortSignal[], stop: () => void) => () => void

/** One listener per signal: thousands of attempts share a signal, and an EventTarget scans all its listeners on every add and remove. */
function createAbortFanOut(): OnAbort {
  const stopsBySignal = new WeakMap<AbortSignal, Set<() => void>>()
  return (signals, stop) => {
    for (const signal of signals) (stopsBySignal.get(signal) ?? listen(signal)).add(stop)
    return () => {
      for (const signal of signals) stopsBySignal.get(signal)?.delete(stop)
    }
  }

  function listen(signal: AbortSignal): Set<() => void> {
    const stops = new Set<() => void>()
    stopsBySignal.set(signal, stops)
    const stopAll = () => {
      for (const stop of stops) stop()
    }
    signal.addEventListener('abort', stopAll, { once: true })
    return stops
  }
}

interface SendRequestOptions {
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
function sendRequest({
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
