import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServeDir, removeServeDir, type ServeProcess, serve } from '../../support/serve-process.ts'
import type { TestServer } from '../../support/test-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { addHearing } from '../../webhooks/owner.ts'
import { type Follower, follow } from './follower.ts'
import { firstFacts } from './load.ts'
import { retryRequest } from './operate-at.ts'

/** A service as a process on somebody's database, a key, a receiver of all events and a reader of the stream. */
export interface FaultServer {
  served: ServeProcess
  operate: TestServer['operate']
  /** The key of the leader of n1. */
  key: string
  receiver: WebhookReceiver
  webhookSecret: string
  follower: Follower
  /** The number of the last event that was logged before anybody listened. */
  firstSeq: number
  /** Whether the service says that it is ready, and that the database is up. */
  status(): Promise<{ isReady: boolean; isDatabaseUp: boolean }>
  close(): Promise<void>
}

export const everything = '/everything'

/** `program` is what is served with, where it is not `chancery serve`. */
export async function startFaultServer(
  databaseUrl: string,
  env: Record<string, string> = {},
  program?: string,
): Promise<FaultServer> {
  const dir = makeServeDir()
  const all = {
    CHANCERY_DATABASE_URL: databaseUrl,
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '1000000',
    ...env,
  }
  const served = await serve(dir, all, program)
  const { operate } = served

  const first = await retryRequest(() =>
    operate('POST', '/facts', { facts: firstFacts() }, { 'idempotency-key': 'first' }),
  )
  assert.equal(first.status, 200)
  const { last_seq: firstSeq } = (await first.json()) as { last_seq: number }
  const wish = { nation_id: 'n1', name: 'faults', scopes: ['nation.read'] }
  const made = await retryRequest(() => operate('POST', '/keys', wish))
  const { key } = (await made.json()) as { key: string }
  const receiver = await startWebhookReceiver()
  const { secret: webhookSecret } = await addHearing(
    { operate: (...asked) => retryRequest(() => operate(...asked)) },
    receiver.url(everything),
  )
  const follower = follow(served.url)

  return {
    served,
    operate,
    key,
    receiver,
    webhookSecret,
    follower,
    firstSeq,
    async status() {
      const [ready, metrics] = await Promise.all([
        fetch(`${served.url}/readyz`),
        operate('GET', '/metrics').then(response => response.text()),
      ]).catch(async error => {
        const lastWords = await Promise.race([served.ended, sleep(1_000)])
        throw lastWords === undefined ? error : new Error(`the service has ended: ${lastWords}`)
      })
      await ready.body?.cancel()
      return { isReady: ready.status === 200, isDatabaseUp: /^chancery_database_up 1$/m.test(metrics) }
    },
    async close() {
      await follower.close()
      served.child.kill('SIGTERM')
      await served.ended
      await receiver.close()
      await removeServeDir(dir)
    },
  }
}
