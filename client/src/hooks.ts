import type { Clock } from './clock.ts'

/** An attempt of a request, without values of parameters, key and codes. */
export interface RequestInfo {
  method: 'GET'
  /** The path of the operation below the base, such as `/nations/{id}`. */
  path: string
  /** 1 for the first attempt, 2 for the first retry. 0 if the response is from the cache and no request was sent. */
  attempt: number
}

/** The end of an attempt. */
export interface ResponseInfo extends RequestInfo {
  /** HTTP status. Undefined without a complete response: a lost connection, a timeout, an abort, or no request. */
  status: number | undefined
  /** Milliseconds from sending the request to the last byte; of a stream to its headers. Waiting for the rate limit is not included. */
  durationMs: number
  /** Whether the result is from the cache: no request was sent (`attempt` 0), or the server responded with 304. */
  isCached: boolean
  /** Quote it when you report a problem. */
  requestId: string | undefined
}

export interface HookOptions {
  /** Called when an attempt is sent. Errors that it throws are ignored. */
  onRequest?: ((request: RequestInfo) => void) | undefined
  /** Called when an attempt has ended, and when a response is taken from the cache. Errors that it throws are ignored. */
  onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** Calls the hooks of a client. */
export interface Hooks {
  /** Reports that an attempt is sent. Returns a function that reports its end. */
  start(path: string, attempt: number): (response: { status: number; headers: Headers } | undefined) => void
  onCacheHit(path: string): void
}

export function createHooks({ onRequest, onResponse }: HookOptions, clock: Clock): Hooks {
  const respond = (response: ResponseInfo) => call(onResponse, response)
  return {
    start(path, attempt) {
      const request = { method: 'GET', path, attempt } as const
      const startedAt = clock.now()
      call(onRequest, request)
      return response =>
        respond({
          ...request,
          status: response?.status,
          durationMs: clock.now() - startedAt,
          isCached: response?.status === 304,
          requestId: response?.headers.get('x-request-id') ?? undefined,
        })
    },
    onCacheHit: path =>
      respond({
        method: 'GET',
        path,
        attempt: 0,
        status: undefined,
        durationMs: 0,
        isCached: true,
        requestId: undefined,
      }),
  }
}

/** An error in a log must not fail the request, nor end the process as an unhandled rejection. */
async function call<T>(hook: ((value: T) => void) | undefined, value: T): Promise<void> {
  try {
    await hook?.(value)
  } catch {}
}
