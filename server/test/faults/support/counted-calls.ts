import assert from 'node:assert/strict'
import { retryRequest } from '../../support/operator-client.ts'
import {
  longTimeoutServer,
  makeServeDir,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../../support/serve-process.ts'
import type { TestServer } from '../../support/test-server.ts'
import { until } from '../../support/until.ts'

/** A request and its result. */
export interface CountedCall {
  process: number
  startedAt: number
  tookMs: number
  isAllowed: boolean
}

/** One of several processes that share a database and a store of limits. */
export interface LimitedServer {
  served: ServeProcess
  operate: TestServer['operate']
  /** Whether its metrics report shared limits. */
  isShared(): Promise<boolean>
  close(): Promise<void>
}

export async function startLimitedServer(env: Record<string, string>): Promise<LimitedServer> {
  const dir = makeServeDir()
  const served = await serve(dir, env, longTimeoutServer)
  const { operate } = served
  return {
    served,
    operate,
    async isShared() {
      return /^chancery_limits_shared 1$/m.test(await (await operate('GET', '/metrics')).text())
    },
    async close() {
      served.child.kill('SIGTERM')
      await served.ended
      await removeServeDir(dir)
    },
  }
}

/** Sends a request with a key to one process, and checks the rate-limit headers of the response. */
export async function call(
  { served }: Pick<LimitedServer, 'served'>,
  key: string,
  limit: number,
): Promise<Omit<CountedCall, 'process'>> {
  let startedAt = 0
  const response = await retryRequest(() => {
    startedAt = performance.now()
    return fetch(`${served.url}/api/v1/game`, { headers: { authorization: `Bearer ${key}` } })
  })
  const body = await response.text()
  const tookMs = performance.now() - startedAt
  const isAllowed = response.status === 200
  assert.equal(response.status, isAllowed ? 200 : 429, body)
  assert.equal(response.headers.get('x-ratelimit-limit'), String(limit))
  const remaining = Number(response.headers.get('x-ratelimit-remaining'))
  assert.ok(isAllowed ? remaining >= 0 && remaining < limit : remaining === 0, `${remaining} of ${limit}`)
  const waitSeconds = Number(response.headers.get('retry-after') ?? 1)
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60, `wait for ${waitSeconds} s`)
  return { startedAt, tookMs, isAllowed }
}

const callersPerProcess = 3

/** Sends requests with one key to every process without a pause, until stopped. */
export function callContinuously(counters: readonly LimitedServer[], key: string, limit: number) {
  const calls: CountedCall[] = []
  let isOver = false
  let wrong: { error: unknown } | undefined
  const callers = counters.flatMap((counter, process) =>
    Array.from({ length: callersPerProcess }, async () => {
      while (!isOver) calls.push({ process, ...(await call(counter, key, limit)) })
    }),
  )
  const all = Promise.all(callers)
  all.catch(error => {
    isOver = true
    wrong = { error }
  })
  return {
    /** Waits until every process has rejected this many further requests: then its window is used up. */
    async untilRejected(times: number): Promise<void> {
      const from = performance.now()
      await until(() => {
        if (wrong) throw wrong.error
        const rejected = calls.filter(({ startedAt, isAllowed }) => startedAt >= from && !isAllowed)
        return counters.every(
          (_, index) => rejected.filter(({ process }) => process === index).length >= times,
        )
      }, 'the window is used up')
    },
    async stop(): Promise<readonly CountedCall[]> {
      isOver = true
      await all
      return calls
    },
  }
}
