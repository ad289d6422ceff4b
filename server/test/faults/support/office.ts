import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServedDir, removeServedDir, type Served, serve } from '../../ingest/served.ts'
import type { TestServer } from '../../support/test-server.ts'
import { addHearing } from '../../webhooks/owner.ts'
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts'
import { type Follower, follow } from './follower.ts'
import { firstFacts } from './load.ts'
import { askAgain, operateAt } from './operate-at.ts'

/** A service as a process on somebody's database, a key, a receiver of all events and a reader of the stream. */
export interface Office {
  served: Served
  operate: TestServer['operate']
  /** The key of the leader of n1. */
  key: string
  receiver: Receiver
  webhookSecret: string
  follower: Follower
  /** The number of the last event that was logged before anybody listened. */
  lastUnheard: number
  /** Whether the service says that it is ready, and that the database is up. */
  says(): Promise<{ isReady: boolean; isDatabaseUp: boolean }>
  close(): Promise<void>
}

export const everything = '/everything'

/** `program` is what is served with, where it is not `chancery serve`. */
export async function openOffice(
  databaseUrl: string,
  env: Record<string, string> = {},
  program?: string,
): Promise<Office> {
  const dir = makeServedDir()
  const all = {
    CHANCERY_DATABASE_URL: databaseUrl,
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '1000000',
    ...env,
  }
  const served = await serve(dir, all, program)
  const operate = operateAt(served)

  const first = await askAgain(() =>
    operate('POST', '/facts', { facts: firstFacts() }, { 'idempotency-key': 'first' }),
  )
  assert.equal(first.status, 200)
  const { last_seq: lastUnheard } = (await first.json()) as { last_seq: number }
  const wish = { nation_id: 'n1', name: 'faults', scopes: ['nation.read'] }
  const made = await askAgain(() => operate('POST', '/keys', wish))
  const { key } = (await made.json()) as { key: string }
  const receiver = await startReceiver()
  const { secret: webhookSecret } = await addHearing(
    { operate: (...asked) => askAgain(() => operate(...asked)) },
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
    lastUnheard,
    async says() {
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
      await removeServedDir(dir)
    },
  }
}
