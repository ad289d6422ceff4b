import type { OperatorRole } from '@chancery/contract'
import { type Operate, operateAt } from '../support/operator-client.ts'
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

export const operateAs = (url: string, token: string | undefined, ...request: Parameters<Operate>) =>
  operateAt(url, token)(...request)

export const statusAs = async (url: string, token: string | undefined, path = '/status') => {
  const response = await operateAs(url, token, 'GET', path)
  await response.text()
  return response.status
}
