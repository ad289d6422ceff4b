import { type Answer, type Body, bodyOf, errorOf } from './answer.ts'
import { type Clock, sleep } from './clock.ts'
import { ChanceryError } from './errors.ts'
import type { Pace } from './pace.ts'

/** What a call sends, and how it is made. */
export interface Request {
  /** Below the base, with its query. */
  path: string
  headers?: Record<string, string>
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** A call that has effects: it is made once, whatever happens, and at once where anything is left. */
  isOnce?: boolean
}

export interface Transport {
  /**
   * Calls, and calls again where that may help.
   * @returns an answer of status 200 with its parsed body, or 304 without.
   * @throws {ChanceryError}, or the signal's reason.
   */
  call(req: Request): Promise<Answer & { body: Body | undefined }>
  /** Opens an answer that goes on, and says when it is asked for. Whoever opens it ends it by the signal. */
  open(req: { path: string; signal: AbortSignal; onSent(): void }): Promise<Response>
}

export interface TransportOptions {
  base: string
  apiKey: string | undefined
  fetch: typeof globalThis.fetch
  clock: Clock
  pace: Pace
  timeoutMs: number
  /** How often a call is made again at most. */
  retries: number
  random: () => number
}

/** A wait that is longer is left to the caller: a window has 60 seconds. */
const waitMsMax = 65_000

export function createTransport(options: TransportOptions): Transport {
  const { base, apiKey, fetch, clock, pace, random } = options

  /** No cookies, no cache of the browser's before ours, and a key goes nowhere but where it belongs. */
  const init = (headers: Record<string, string>, signal: AbortSignal): RequestInit => ({
    headers: apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey}` },
    signal,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
  })

  async function send({ path, headers = {}, timeoutMs, signal, isOnce }: Request): Promise<Answer> {
    await pace.take(signal, isOnce)
    const controller = new AbortController()
    const onAbort = () => controller.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    const ms = timeoutMs ?? options.timeoutMs
    let isLate = false
    const stop = clock.after(ms, () => {
      isLate = true
      controller.abort()
    })
    let told: Headers | undefined
    try {
      const response = await fetch(base + path, init(headers, controller.signal))
      told = response.headers
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (cause) {
      signal?.throwIfAborted()
      if (isLate) throw new ChanceryError(`No answer within ${ms} ms.`, { code: 'timeout' })
      throw new ChanceryError('The server was not reached, or the answer broke off.', {
        code: 'network_error',
        cause,
      })
    } finally {
      stop()
      signal?.removeEventListener('abort', onAbort)
      pace.done(told)
    }
  }

  /** Half of a doubling wait is left to chance, so that those who failed together do not come back together. */
  const backoffMs = (attempt: number) => Math.min(8_000, 500 * 2 ** attempt) * (0.5 + random() / 2)

  /** How long to wait before the call may be made again; undefined where that is of no use. */
  function retryMs({ code, status = 0, retryAfter }: ChanceryError, attempt: number): number | undefined {
    const isLost = code === 'network_error' || code === 'timeout'
    if (!isLost && status !== 429 && status < 500) return undefined
    const ms = backoffMs(attempt)
    if (retryAfter === undefined) return ms
    const longer = retryAfter * 1000 + ms / 4
    return longer <= waitMsMax ? Math.max(ms, longer) : undefined
  }

  return {
    async call(req) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const answer = await send(req)
          if (answer.status === 304) return { ...answer, body: undefined }
          if (answer.status !== 200) throw errorOf(answer)
          return { ...answer, body: bodyOf(answer) }
        } catch (error) {
          if (!(error instanceof ChanceryError)) throw error
          const ms = retryMs(error, attempt)
          // Nobody who waits in the queue has to learn it by a refusal of their own.
          if (error.status === 429) pace.block(ms ?? (error.retryAfter ?? 1) * 1000)
          if (ms === undefined || req.isOnce || attempt >= options.retries) throw error
          await sleep(clock, ms, req.signal)
        }
      }
    },

    async open({ path, signal, onSent }) {
      await pace.take(signal)
      onSent()
      let told: Headers | undefined
      try {
        const response = await fetch(base + path, init({ accept: 'text/event-stream' }, signal))
        told = response.headers
        return response
      } finally {
        pace.done(told)
      }
    },
  }
}
