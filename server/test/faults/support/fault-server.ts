import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServeDir, removeServeDir, type ServeProcess, serve } from '../../support/serve-process.ts'
import type { TestServer } from '../../support/test-server.ts'
import { until } from '../../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { addActiveEndpoint } from '../../webhooks/owner.ts'
import { type Follower, follow } from './follower.ts'
import { firstFacts } from './load.ts'
import { allEvents, assertNothingLost } from './nothing-lost.ts'
import { operatorOf } from './running-servers.ts'
import type { Acknowledged } from './workload.ts'

/** A service in a process of its own, with a key, a webhook for all events and a follower of the event stream. */
export interface FaultServer {
  served: ServeProcess
  operate: TestServer['operate']
  /** The key of the leader of n1. */
  key: string
  receiver: WebhookReceiver
  webhookSecret: string
  follower: Follower
  /** Whether `/readyz` is 200, and whether the metrics report the database as up. */
  status(): Promise<{ isReady: boolean; isDatabaseUp: boolean }>
  /** Nothing acknowledged is lost or doubled, and webhook and stream delivered every event. */
  assertNothingLost(acknowledged: Acknowledged): Promise<void>
  close(): Promise<void>
}

/** `program`: the program to start; default: `chancery serve`. */
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
  const servers = { up: [served] }
  const { operate } = operatorOf(servers)

  const first = await operate('POST', '/facts', { facts: firstFacts() }, { 'idempotency-key': 'first' })
  assert.equal(first.status, 200)
  const { last_seq: firstSeq } = (await first.json()) as { last_seq: number }
  const owner = { nation_id: 'n1', name: 'faults', scopes: ['nation.read'] }
  const { key } = (await (await operate('POST', '/keys', owner)).json()) as { key: string }
  const receiver = await startWebhookReceiver()
  const { secret: webhookSecret } = await addActiveEndpoint({ operate }, receiver.url(allEvents))
  const follower = follow(served.url)

  return {
    served,
    operate: served.operate,
    key,
    receiver,
    webhookSecret,
    follower,
    async status() {
      const [ready, metrics] = await Promise.all([
        fetch(`${served.url}/readyz`),
        served.operate('GET', '/metrics').then(response => response.text()),
      ]).catch(async error => {
        const output = await Promise.race([served.ended, sleep(1_000)])
        throw output === undefined ? error : new Error(`the service has ended: ${output}`)
      })
      await ready.body?.cancel()
      return { isReady: ready.status === 200, isDatabaseUp: /^chancery_database_up 1$/m.test(metrics) }
    },
    async assertNothingLost(acknowledged) {
      const log = await assertNothingLost(servers, acknowledged, receiver, firstSeq)
      await until(() => follower.seqs().length >= log.length, 'the stream has sent every event')
      assert.deepEqual(
        follower.seqs(),
        log.map(({ seq }) => seq),
      )
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
