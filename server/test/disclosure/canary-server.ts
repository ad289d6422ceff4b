import assert from 'node:assert/strict'
import type { Operate } from '../support/operator-client.ts'
import { startServerProcess } from '../support/server-process.ts'
import type { CanaryWorld } from './canary-world.ts'
import { endDay } from './ingested-world.ts'

export type CanaryServer = Awaited<ReturnType<typeof startCanaryServer>>

/** A server in a process of its own, with the most detailed log. */
export async function startCanaryServer({ profile, facts }: CanaryWorld, env: Record<string, string> = {}) {
  const server = await startServerProcess(
    {
      CHANCERY_ADMIN_TOKEN: 'canary-operator-token-of-this-test',
      CHANCERY_STREAMS_PER_KEY: '1000000',
      CHANCERY_STREAMS_PER_IP: '1000000',
      CHANCERY_LOG_LEVEL: 'trace',
      ...env,
    },
    { profile },
  )
  const operate = async (...request: Parameters<Operate>) => {
    const response = await server.operate(...request)
    const body = await response.text()
    return { status: response.status, body, json: <T>() => JSON.parse(body) as T }
  }
  return {
    ...server,
    operate,
    /** Sends the facts of the canary world, and ends a day, so that it has a history. */
    async ingestFacts() {
      const { status, body } = await operate(
        'POST',
        '/facts',
        { facts: facts() },
        { 'idempotency-key': 'canaries' },
      )
      assert.equal(status, 200, body)
      await endDay(server.databaseUrl, 1)
    },
  }
}
