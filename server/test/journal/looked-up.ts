import type { RequestRow } from '../../src/journal/queries.ts'
import type { TestServer } from '../support/test-server.ts'

/** What the operator is told of a request; nothing where the journal does not know it. */
export async function lookUp(server: Pick<TestServer, 'operate'>, requestId: string): Promise<RequestRow[]> {
  const response = await server.operate('GET', `/requests/${encodeURIComponent(requestId)}`)
  const body = (await response.json()) as { data?: RequestRow[] }
  return body.data ?? []
}
