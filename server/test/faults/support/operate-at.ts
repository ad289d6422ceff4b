import { setTimeout as sleep } from 'node:timers/promises'

const againMs = 50

/** Retries while the response is 503, as every client does: on a busy machine the database is slow. */
export async function retryRequest(request: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await request()
    if (response.status !== 503) return response
    await response.body?.cancel()
    await sleep(againMs)
  }
}
