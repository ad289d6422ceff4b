import type { Served } from '../../ingest/served.ts'
import type { TestServer } from '../../support/test-server.ts'

/** Asks the operator listener of a serving process. */
export const operateAt =
  ({ operatorUrl, operatorToken }: Served): TestServer['operate'] =>
  (method, path, body, headers = {}) =>
    fetch(operatorUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${operatorToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
