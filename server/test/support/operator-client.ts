import { setTimeout as sleep } from 'node:timers/promises'

/** Sends a request to an operator listener. */
export type Operate = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>

/** Requests to the operator listener at `url` with a token; undefined for none. */
export const operateAt =
  (url: string, token: string | undefined): Operate =>
  (method, path, body, headers = {}) =>
    fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

/** Retries while the status is 503, as clients do: on a busy machine the database is slow. */
export async function retryRequest(request: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await request()
    if (response.status !== 503) return response
    await response.body?.cancel()
    await sleep(50)
  }
}
