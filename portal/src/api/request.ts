import { ApiError, readError } from './errors.ts'
import type { ServerClock } from './server-clock.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface RequestParts {
  clock: ServerClock
  /** The token of the session, once somebody is signed in. */
  csrfToken: () => string | null
}

/** Asks the page's own API. Throws an ApiError for whatever is not a success. */
export type Request = <T>(method: Method, path: string, body?: object) => Promise<T>

export function createRequest({ clock, csrfToken }: RequestParts): Request {
  return async <T>(method: Method, path: string, body?: object): Promise<T> => {
    const token = method === 'GET' ? null : csrfToken()
    const res = await fetch(`/developers/api${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        ...(token ? { 'x-csrf-token': token } : {}),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      cache: 'no-store',
      credentials: 'same-origin',
    }).catch(() => {
      throw unreachableError()
    })
    clock.observe(res.headers.get('date'))
    if (!res.ok) throw await readError(res)
    const text = await res.text()
    // What is asked for as nothing may come as nothing.
    return JSON.parse(text || 'null')
  }
}

export const unreachableError = () =>
  new ApiError('The server cannot be reached. Check the connection and try again.', {
    status: 0,
    code: null,
    requestId: null,
    retryAfterSeconds: null,
  })

/** A path's query of those parameters that are given. */
export function queryString(parameters: Record<string, string | number | null | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  return query.size > 0 ? `?${query}` : ''
}
