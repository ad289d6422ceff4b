import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { webhooks } from '@chancery/contract'
import type { Agent } from 'undici'
import { createNameLookup } from '../outgoing/name-lookup.ts'
import { isPublicAddress } from '../outgoing/public-address.ts'
import type { SendErrorCode } from '../outgoing/send-error.ts'
import { createAbortFanOut } from '../outgoing/stops.ts'
import type { Connector, ConnectorOptions } from './connector.ts'
import { checkEndpointUrl } from './guard.ts'
import { type AttemptResponse, sendRequest } from './request.ts'

export type { AttemptResponse, SendErrorCode }

/** What one attempt sends. */
export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

export interface Sender {
  /** Posts one message. Never rejects. A signal that is aborted before there is an answer makes it `stopped`. */
  send(message: Message, signal?: AbortSignal): Promise<AttemptResponse>
  /** Stops what is under way and ends all connections. */
  close(): Promise<void>
}

export interface SenderOptions extends Pick<ConnectorOptions, 'ca'> {
  /** For receivers under development: http and addresses that are not public are allowed. */
  allowsLocal: boolean
  lookup?: LookupFunction
  /** For a whole attempt, from the look-up to the last byte that is read. */
  timeoutMs?: number
  /** How many connections may wait for their next message, beyond those that the messages under way need. */
  spareConnectionsMax?: number
  /** How long a connection waits for its next message. */
  idleMs?: number
}

/** What messages leave by. */
interface Transport {
  agent: Agent
  connector: Connector
}

/** Shorter than the five seconds after which many servers close: a message should not meet a connection that is being closed. */
const idleMsUsual = 4_000

/** The way out: posts to endpoints, and reaches nothing but the public internet where the operator allowed no more. */
export function createSender(options: SenderOptions): Sender {
  const { allowsLocal, ca, spareConnectionsMax = 500, idleMs = idleMsUsual } = options
  const { timeoutMs = webhooks.timeoutSeconds * 1000 } = options
  const closing = new AbortController()
  const onStop = createAbortFanOut()
  let underWay = 0
  const openWay = async (): Promise<Transport> => {
    const [{ Agent }, { createConnector }] = await Promise.all([import('undici'), import('./connector.ts')])
    const connector = createConnector({
      isAllowed: allowsLocal ? () => true : isPublicAddress,
      // Under development names may stand in the machine's own list, which name servers do not know.
      lookup:
        options.lookup ??
        (allowsLocal ? systemLookup : createNameLookup(stop => onStop([closing.signal], stop))),
      timeoutMs,
      ca,
    })
    // It opens as many connections as it takes, pipelines no POST, and forgets an origin when its last connection has closed.
    // With HTTP/2 it would hold back an origin's messages until the first connection stands.
    const agent = new Agent({
      connect: connector.connect,
      allowH2: false,
      keepAliveTimeout: idleMs,
      // Whatever the receiver says it would keep.
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: 16_384,
      // The time limit is kept here, for the whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    return { agent, connector }
  }
  // Loaded for the first message: many processes never send one, and it takes 10 MB.
  let way: Promise<Transport> | undefined
  const openOnce = () => {
    // What could not be loaded, for want of files perhaps, is tried again for the next message.
    way ??= openWay().catch(error => {
      way = undefined
      throw error
    })
    return way
  }

  return {
    async send({ url: text, headers, body }, signal) {
      const isStopped = () => closing.signal.aborted || signal?.aborted
      if (isStopped()) return unsent('stopped')
      // What was allowed when it was registered may not be any more.
      const url = checkEndpointUrl(text, { allowsLocal })
      if (typeof url === 'string') return unsent('url_not_allowed')
      const { agent, connector } = await openOnce()
      if (isStopped()) return unsent('stopped')
      const { origin, pathname, search } = url
      underWay++
      // A connection is free a turn of the event loop after its answer: by then the next message has opened another.
      const reset = connector.openCount() > 2 * underWay + spareConnectionsMax
      try {
        return await sendRequest({
          dispatcher: agent,
          request: { origin, path: pathname + search, method: 'POST', headers, body, reset },
          timeoutMs,
          onStart: stop => onStop(signal ? [closing.signal, signal] : [closing.signal], stop),
        })
      } finally {
        underWay--
      }
    },
    async close() {
      closing.abort()
      const opened = await way
      opened?.connector.close()
      await opened?.agent.destroy()
    },
  }
}

const unsent = (error: SendErrorCode): AttemptResponse => ({
  status: null,
  error,
  body: null,
  retryAfter: null,
  latencyMs: 0,
})
