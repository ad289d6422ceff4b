import { type Clock, sleep } from './clock.ts'
import { ChanceryError } from './errors.ts'
import type { Hooks } from './hooks.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { type Body, parseBody, parseError, type ReceivedResponse } from './response.ts'

/** A request and how it is sent. */
export interface Request {
  /** Below the base, with its query. */
  path: string
  /** The path of the operation, with names of ids in braces. */
  template: string
  headers?: Record<string, string>
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** The request has side effects: it is never retried, and urgent for the rate limiter. */
  isNonIdempotent?: boolean
}

export interface Transport {
  /** The URL of the API, without a slash at its end. */
  readonly base: string
  /**
   * Sends a request, and retries it if that may help.
   * @returns a response with status 200 and its parsed body, or 304 without.
   * @throws {ChanceryError}, or the signal's reason.
   */
  call(req: Request): Promise<ReceivedResponse & { body: Body | undefined }>
  /** Opens a stream or a download. `onSent` is called when the request is sent; the signal closes it. */
  open(req: OpenRequest): Promise<Response>
}

export interface OpenRequest {
  url: string
  /** The path for hooks, without values. */
  template: string
  accept: string
  signal: AbortSignal
  onSent(): void
}

export interface TransportOptions {
  base: string
  apiKey: string | undefined
  fetch: typeof globalThis.fetch
  clock: Clock
  rateLimiter: RateLimiter
  hooks: Hooks
  userAgent: string | undefined
  timeoutMs: number
  /** Retries at most. */
  retries: number
  random: () => number
}

/** Longer waits are left to the caller: a window has 60 seconds. */
const waitMsMax = 65_000

export function createTransport(options: TransportOptions): Transport {
  const { base, apiKey, userAgent, fetch, clock, rateLimiter, hooks, random } = options
  const ownHeaders = {
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
  }

  /** No cookies, no browser cache, and no redirects that would send the key elsewhere. */
  const init = (headers: Record<string, string>, signal: AbortSignal): RequestInit => ({
    headers: { ...headers, ...ownHeaders },
    signal,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
  })

  async function send(
    { path, template, headers = {}, timeoutMs, signal, isNonIdempotent: isOnce }: Request,
    attempt: number,
  ): Promise<ReceivedResponse> {
    await rateLimiter.acquire(signal, isOnce)
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
    const end = hooks.start(template, attempt)
    let receivedHeaders: Headers | undefined
    let received: ReceivedResponse | undefined
    try {
      const response = await fetch(base + path, init(headers, controller.signal))
      receivedHeaders = response.headers
      received = { status: response.status, headers: response.headers, text: await response.text() }
      return received
    } catch (cause) {
      signal?.throwIfAborted()
      if (isLate) throw new ChanceryError(`No response within ${ms} ms.`, { code: 'timeout' })
      throw new ChanceryError('The server could not be reached, or the connection broke.', {
        code: 'network_error',
        cause,
      })
    } finally {
      stop()
      signal?.removeEventListener('abort', onAbort)
      rateLimiter.release(receivedHeaders)
      end(received)
    }
  }

  /** Exponential backoff with jitter, so that clients do not retry at the same time. */
  const backoffMs = (attempt: number) => Math.min(8_000, 500 * 2 ** attempt) * (0.5 + random() / 2)

  /** The delay before a retry; undefined if a retry cannot help. */
  function retryMs({ code, status = 0, retryAfter }: ChanceryError, attempt: number): number | undefined {
    const isLost = code === 'network_error' || code === 'timeout'
    if (!isLost && status !== 429 && status < 500) return undefined
    const ms = backoffMs(attempt)
    if (retryAfter === undefined) return ms
    const longer = retryAfter * 1000 + ms / 4
    return longer <= waitMsMax ? Math.max(ms, longer) : undefined
  }

  return {
    base,

    async call(req) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const res = await send(req, attempt + 1)
          if (res.status === 304) return { ...res, body: undefined }
          if (res.status !== 200) throw parseError(res)
          return { ...res, body: parseBody(res) }
        } catch (error) {
          if (!(error instanceof ChanceryError)) throw error
          const ms = retryMs(error, attempt)
          // Queued requests would be rejected too.
          if (error.status === 429) rateLimiter.block(ms ?? (error.retryAfter ?? 1) * 1000)
          if (ms === undefined || req.isNonIdempotent || attempt >= options.retries) throw error
          await sleep(clock, ms, req.signal)
        }
      }
    },

    async open({ url, template, accept, signal, onSent }) {
      await rateLimiter.acquire(signal)
      onSent()
      const end = hooks.start(template, 1)
      let response: Response | undefined
      try {
        response = await fetch(url, init({ accept }, signal))
        return response
      } finally {
        rateLimiter.release(response?.headers)
        end(response)
      }
    },
  }
}
