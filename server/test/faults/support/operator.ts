import type { Operate } from '../../support/operator-client.ts'
import type { RunningServers } from './running-servers.ts'

/** Requests to the operator listener of the first running process. */
export function createOperator(servers: RunningServers) {
  const operate: Operate = (...request) => {
    const [served] = servers.up
    if (!served) throw new Error('no process is serving')
    return served.operate(...request)
  }
  return {
    operate,
    /** Creates a resource and returns the response's body. */
    async make(path: string, body: unknown): Promise<{ key: string }> {
      const response = await operate('POST', path, body)
      const text = await response.text()
      if (response.status !== 201) throw new Error(`${path} answered ${response.status} ${text}`)
      return JSON.parse(text)
    },
  }
}
