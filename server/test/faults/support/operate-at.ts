import { setTimeout as sleep } from 'node:timers/promises'
import type { ServeProcess } from '../../support/serve-process.ts'
import type { TestServer } from '../../support/test-server.ts'

const againMs = 50

/** Asks again while the answer is 503, as every client does: on a busy machine a database answers late. */
export async function retryRequest(question: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await question()
    if (response.status !== 503) return response
    await response.body?.cancel()
    await sleep(againMs)
  }
}

/** Asks the operator listener of a serving process. */
export const operateAt =
  ({ operatorUrl, operatorToken }: ServeProcess): TestServer['operate'] =>
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
