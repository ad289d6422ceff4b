import type { OperatorRole } from '@chancery/contract'
import type { TestServer } from '../support/test-server.ts'

export interface MadeToken {
  id: string
  token: string
  name: string
  roles: OperatorRole[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

let made = 0

/** Makes a named token. */
export async function makeToken(
  chancery: Pick<TestServer, 'operate'>,
  roles: OperatorRole[],
  more: object = {},
): Promise<MadeToken> {
  made += 1
  const response = await chancery.operate('POST', '/tokens', { name: `token ${made}`, roles, ...more })
  const body = await response.json()
  if (response.status !== 201) throw new Error(`no token was made: ${JSON.stringify(body)}`)
  return body as MadeToken
}

/** Asks an operator listener with a token; undefined for none. */
export const operateAs = (
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

export const statusAs = async (url: string, token: string | undefined, path = '/status') => {
  const response = await operateAs(url, token, 'GET', path)
  await response.text()
  return response.status
}
