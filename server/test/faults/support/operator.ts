import type { TestServer } from '../../support/test-server.ts'
import type { RunningServers } from './running-servers.ts'

/** The game, at the first of the processes that are up. */
export function createOperator(servers: RunningServers) {
  const operate: TestServer['operate'] = (method, path, body, headers = {}) => {
    const [served] = servers.up
    if (!served) throw new Error('nobody serves')
    return fetch(served.operatorUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${served.operatorToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
  return {
    operate,
    /** Makes something, and returns what is told of it. */
    async make(path: string, body: unknown): Promise<{ key: string }> {
      const response = await operate('POST', path, body)
      const text = await response.text()
      if (response.status !== 201) throw new Error(`${path} answered ${response.status} ${text}`)
      return JSON.parse(text)
    },
  }
}
