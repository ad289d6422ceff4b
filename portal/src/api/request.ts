import type { AccountInput, AccountResponse, accountOperations } from '@chancery/contract'
import { readError, unreachableError } from './api-error.ts'
import { basePath } from './base-path.ts'
import type { ServerClock } from './server-clock.ts'

type Operations = typeof accountOperations
type OperationsByRoute = {
  [K in keyof Operations as `${Operations[K]['method']} ${Operations[K]['path']}`]: Operations[K]
}

/** The method and path of an operation of the account API. */
type Route = keyof OperationsByRoute

type Input<R extends Route> = AccountInput<OperationsByRoute[R]>

type QueryParameters = Record<string, string | number | undefined>
interface AnyInput {
  id?: string
  query?: QueryParameters
  body?: object
  /** The request outlives the page. */
  keepalive?: boolean
}

/** Sends a request to the account API. Throws an ApiError unless the response is a success. */
export type Request = <R extends Route>(
  route: R,
  ...input: unknown extends Input<R> ? [] : [Input<R> & AnyInput]
) => Promise<AccountResponse<OperationsByRoute[R]>>

interface Dependencies {
  clock: ServerClock
  /** The token of the session, once signed in. */
  csrfToken: () => string | null
}

export function createRequest({ clock, csrfToken }: Dependencies): Request {
  return async (route, ...[input]) => {
    const { id = '', query = {}, body = {}, keepalive = false }: AnyInput = input ?? {}
    const [method = 'GET', path = ''] = route.split(' ')
    const token = method === 'GET' ? null : csrfToken()
    const target = path.replace('{id}', encodeURIComponent(id)) + queryString(query)
    const res = await fetch(`${basePath()}/developers/api${target}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        ...(token ? { 'x-csrf-token': token } : {}),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'same-origin',
      keepalive,
    }).catch(() => {
      throw unreachableError()
    })
    clock.observe(res.headers.get('date'))
    if (!res.ok) throw await readError(res)
    return res.json()
  }
}

/** The query string of the parameters that have a value. */
export function queryString(parameters: QueryParameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size > 0 ? `?${query}` : ''
}
