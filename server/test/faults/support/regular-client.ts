import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'

export interface RegularClientOptions {
  path?: string
  headers?: Record<string, string>
  everyMs?: number
}

/** A request: its status, or the error. */
export interface RegularRequest {
  status: number | string
  remaining: number
  ms: number
}

/** The requests of a client, and those of the same client to an idle minimal server in the same seconds. */
export interface Measured {
  requests: RegularRequest[]
  baseline: RegularRequest[]
}

/** Starts a client that sends one request after the other. */
async function startRegularClient(
  url: string,
  { path = '/api/v1/game', headers = {}, everyMs = 20 }: RegularClientOptions = {},
): Promise<{ stop(): Promise<Measured> }> {
  const baseline = new Worker(new URL('./baseline-worker.ts', import.meta.url))
  const [baselineUrl] = (await once(baseline, 'message')) as [string]
  const worker = new Worker(new URL('./regular-client-worker.ts', import.meta.url), {
    workerData: { url, baselineUrl, path, headers, everyMs },
  })
  return {
    async stop() {
      worker.postMessage('stop')
      const [measured] = (await once(worker, 'message')) as [Measured]
      await baseline.terminate()
      return measured
    },
  }
}

const percentile = (requests: readonly RegularRequest[], share: number) =>
  requests.map(({ ms }) => ms).toSorted((one, other) => one - other)[
    Math.floor((requests.length - 1) * share)
  ] ?? 0

/** How long the 99th percentile may take: this long, and this many times that of the baseline. */
const waitMsMax = 3_000
const baselineFactor = 10

export function describeMeasured({ requests, baseline }: Measured): string {
  const of = (requests: RegularRequest[]) =>
    `p50 ${percentile(requests, 0.5).toFixed(1)} ms, p99 ${percentile(requests, 0.99).toFixed(1)} ms`
  return `regular client: ${requests.length} requests, ${of(requests)}; at the baseline server ${of(baseline)}`
}

/** Runs work beside a regular client. Resolves with the requests of the client. */
export async function measureDuring(
  url: string,
  work: () => Promise<void>,
  options?: RegularClientOptions,
): Promise<Measured> {
  const client = await startRegularClient(url, options)
  try {
    await work()
  } catch (error) {
    await client.stop()
    throw error
  }
  return client.stop()
}

/** The same, and asserts that every request of the client is 200, and 99 of 100 without a long wait. */
export async function assertServedDuring(
  t: TestContext,
  url: string,
  work: () => Promise<void>,
  options?: RegularClientOptions,
): Promise<Measured> {
  const measured = await measureDuring(url, work, options)
  const { requests, baseline } = measured
  const description = describeMeasured(measured)
  t.diagnostic(description)
  assert.deepEqual(
    requests.filter(({ status }) => status !== 200),
    [],
  )
  const limitMs = waitMsMax + baselineFactor * percentile(baseline, 0.99)
  assert.ok(percentile(requests, 0.99) < limitMs, description)
  return measured
}
