import type { RequestRow } from '../../src/request-log/queries.ts'
import type { LoggedRequest, ServedRequest } from '../../src/request-log/request-ring.ts'
import type { TestServer } from '../support/test-server.ts'

let made = 0

/** A request to record; default: 200 with a key. */
export function servedRequest(more: Partial<ServedRequest> = {}): ServedRequest {
  made += 1
  return {
    requestId: `req_${made.toString(16).padStart(16, '0')}`,
    keyId: 'key_1',
    address: '',
    operation: 'nations.get',
    status: 200,
    durationMs: 0.25,
    isDeprecated: false,
    errorCode: null,
    errorParameter: null,
    ...more,
  }
}

/** A request without a key, from an address. */
export const anonymousRequest = (address: string, more: Partial<ServedRequest> = {}): ServedRequest =>
  servedRequest({ keyId: null, address, ...more })

export const loggedAt = (at: number, { isDeprecated: _, ...call }: ServedRequest): LoggedRequest => ({
  ...call,
  at,
})

/** The rows of a request in the operator API; empty if its id is unknown. */
export async function findRequest(
  server: Pick<TestServer, 'operate'>,
  requestId: string,
): Promise<RequestRow[]> {
  const response = await server.operate('GET', `/requests/${encodeURIComponent(requestId)}`)
  const body = (await response.json()) as { data?: RequestRow[] }
  return body.data ?? []
}
