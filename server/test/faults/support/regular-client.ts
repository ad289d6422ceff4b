import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface RegularClientOptions {
  path?: string
  headers?: Record<string, string>
  everyMs?: number
}

/** One call: its status, or why there was no answer. */
export interface Call {
  status: number | string
  remaining: number
  ms: number
}

/** What a caller met, and what they met in the same seconds at the plainest server there is, which nobody troubles. */
export interface Measured {
  calls: Call[]
  controls: Call[]
}

/** Somebody who asks one thing after the other, while others do what they do. */
export interface RegularClient {
  /** Ends it. */
  stop(): Promise<Measured>
}

async function startHonest(url: string, options: RegularClientOptions = {}): Promise<RegularClient> {
  const { path = '/api/v1/game', headers = {}, everyMs = 20 } = options
  const plainest = new Worker(new URL('./baseline-worker.ts', import.meta.url))
  const [control] = (await once(plainest, 'message')) as [string]
  const worker = new Worker(new URL('./regular-client-worker.ts', import.meta.url), {
    workerData: { url, control, path, headers, everyMs },
  })
  return {
    async stop() {
      worker.postMessage('stop')
      const [met] = (await once(worker, 'message')) as [Measured]
      await plainest.terminate()
      return met
    },
  }
}

const part = (calls: readonly Call[], of: number) =>
  calls.map(({ ms }) => ms).toSorted((one, other) => one - other)[Math.floor((calls.length - 1) * of)] ?? 0

/** How much longer than at the plainest server one in a hundred may wait: this, and so many times as long. */
const waitMsMax = 3_000
const timesMax = 10

/** What was measured, for people. */
export function describeMeasured({ calls, controls }: Measured): string {
  const of = (asked: Call[]) =>
    `p50 ${part(asked, 0.5).toFixed(1)} ms, p99 ${part(asked, 0.99).toFixed(1)} ms`
  return `honest: ${calls.length} calls, ${of(calls)}; at the plainest server ${of(controls)}`
}

/** Every call was answered, and none in a hundred waited long. Returns what was measured, for people. */
export function assertServed(met: Measured): string {
  const measured = describeMeasured(met)
  assert.deepEqual(
    met.calls.filter(({ status }) => status !== 200),
    [],
  )
  assert.ok(part(met.calls, 0.99) < waitMsMax + timesMax * part(met.controls, 0.99), measured)
  return measured
}

/** Does something while somebody honest asks. Resolves with what they met, when both are over. */
export async function measureDuring(
  url: string,
  work: () => Promise<void>,
  options?: RegularClientOptions,
): Promise<Measured> {
  const honest = await startHonest(url, options)
  try {
    await work()
  } catch (error) {
    await honest.stop()
    throw error
  }
  return honest.stop()
}
