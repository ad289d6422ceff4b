import type { Dispatcher } from 'undici'
import { createBodyPrefix } from '../outgoing/answer-text.ts'
import { type SendErrorCode, sendErrorCodeOf } from '../outgoing/send-error.ts'

/** What came of an attempt. */
export interface AttemptResponse {
  /** The status that was answered; null where there was no answer, and `error` says why. */
  status: number | null
  error: SendErrorCode | null
  /** The first kilobyte of the answer as text: well-formed UTF-8 without NUL. */
  body: string | null
  /** The receiver's Retry-After as it was sent. */
  retryAfter: string | null
  latencyMs: number
}

export interface SendRequestOptions {
  dispatcher: Dispatcher
  request: Dispatcher.DispatchOptions
  /** From now to the last byte that is read. */
  timeoutMs: number
  /** Hears how to stop the exchange; what it returns is called at its end. */
  onStart: (stop: () => void) => () => void
}

/** Interim answers are passed over, but not without end. */
const interimMax = 20
/** The longest there is, an HTTP date, has 29 characters. */
const retryAfterLengthMax = 100

/**
 * Sends one request and hears the answer. Once there is a status it stands, whatever becomes of the body: the receiver has
 * the message.
 */
export function sendRequest({
  dispatcher,
  request,
  timeoutMs,
  onStart,
}: SendRequestOptions): Promise<AttemptResponse> {
  return new Promise(resolve => {
    const startedAt = performance.now()
    const answer = createBodyPrefix()
    let controller: Dispatcher.DispatchController | undefined
    let status: number | null = null
    let retryAfter: string | null = null
    let interims = 0
    let isOver = false

    function finish(error: SendErrorCode | null): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      forget()
      const latencyMs = Math.round(performance.now() - startedAt)
      if (status === null) resolve({ status, error, body: null, retryAfter, latencyMs })
      else resolve({ status, error: null, body: answer.text(), retryAfter, latencyMs })
    }

    /** Ends the connection too: what would still come of it is not wanted. */
    function stop(error: SendErrorCode | null): void {
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
          if (++interims > interimMax) stop('not_http')
          return
        }
        status = statusCode
        const value = headers['retry-after']
        if (typeof value === 'string' && value.length <= retryAfterLengthMax) retryAfter = value
      },
      onResponseData(_controller, chunk) {
        if (!isOver && answer.add(chunk)) stop(null)
      },
      onResponseEnd: () => finish(null),
      onResponseError: (_controller, error) => finish(sendErrorCodeOf(error)),
    }

    // Timers run before sockets are read: a process that was busy looks once more before it calls the receiver silent.
    const timer = setTimeout(() => setImmediate(stop, 'timed_out'), timeoutMs)
    const forget = onStart(() => stop('stopped'))
    dispatcher.dispatch(request, handler)
  })
}
