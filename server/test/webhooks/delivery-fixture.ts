import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { contractFor, demoProfile } from '@chancery/contract'
import { createItemSerializer } from '../../src/disclosure/disclosure.ts'
import { receiveBatch } from '../../src/ingest/receive.ts'
import { createFactValidator } from '../../src/ingest/validate-fact.ts'
import { createPulse } from '../../src/store/pulse.ts'
import type { FilterRow } from '../../src/webhooks/endpoint-store.ts'
import { createMessageWriter } from '../../src/webhooks/message.ts'
import type { AttemptResponse, Message, Sender } from '../../src/webhooks/outbound/sender.ts'
import { createWebhookSettings } from '../../src/webhooks/settings.ts'
import { type DeliveryWorkerOptions, startDeliveryWorker } from '../../src/webhooks/worker.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTestPools } from '../support/pools.ts'
import type { Fact } from '../support/test-server.ts'

/** A message that a receiver received. */
export interface Received {
  url: string
  id: string
  timestamp: number
  signature: string
  headers: Record<string, string>
  body: string
  /** When, by the clock of the test. */
  atMs: number
}

export const respond = (status: number, more: Partial<AttemptResponse> = {}): AttemptResponse => ({
  status,
  error: null,
  body: '',
  retryAfter: null,
  latencyMs: 1,
  ...more,
})

export const failWith = (error: AttemptResponse['error']): AttemptResponse => ({
  status: null,
  error,
  body: null,
  retryAfter: null,
  latencyMs: 1,
})

/** Responds to a message. */
type Receiver = (message: Received, signal?: AbortSignal) => AttemptResponse | Promise<AttemptResponse>

const noFilter: FilterRow = { types: null, nation_ids: null, alliance_ids: null }

/**
 * The webhook workers on a database of their own, without a server, with a manual clock and functions as receivers.
 */
export async function openDeliveryFixture() {
  const database = await createTestDatabase()
  const pools = createTestPools(database.target)
  const pulse = createPulse({ target: database.target, timeoutFactor: 40 })
  await pulse.refresh()
  const contract = contractFor(demoProfile)
  const ingest = { pool: pools.ingest, contract, validate: createFactValidator(contract) }
  const write = createMessageWriter(createItemSerializer(contract, 'event'), 'test')

  let nowMs = Date.parse('2026-06-01T12:00:00Z')
  const now = () => nowMs
  const received: Received[] = []
  const receivers = new Map<string, Receiver>()

  const sender: Sender = {
    async send({ url, headers, body }: Message, signal) {
      const message: Received = {
        url,
        id: headers['webhook-id'] ?? '',
        timestamp: Number(headers['webhook-timestamp']),
        signature: headers['webhook-signature'] ?? '',
        headers,
        body,
        atMs: nowMs,
      }
      received.push(message)
      return (receivers.get(new URL(url).hostname) ?? (() => respond(200)))(message, signal)
    },
    close: async () => undefined,
  }
  const settings = createWebhookSettings({
    pool: pools.outbound,
    contract,
    sender,
    write,
    allowsLocal: false,
    now,
  })
  const workers: ReturnType<typeof startDeliveryWorker>[] = []

  return {
    pools,
    contract,
    settings,
    received,
    now,
    /** The messages to a host, without tests. */
    eventsAt: (host: string) =>
      received.filter(({ url, id }) => new URL(url).hostname === host && !id.startsWith('evt_test_')),
    /** Advances the clock; workers poll the queue at once. */
    advance(ms: number): void {
      nowMs += ms
      for (const worker of workers) worker.wake()
    },
    /** Sets the receiver of a host. */
    respondWith(host: string, receiver: Receiver): void {
      receivers.set(host, receiver)
    },
    /** Adds an endpoint, and tests it. */
    async addEndpoint(host: string, filter: Partial<FilterRow> = {}, player = 'p1') {
      const draft = {
        ...noFilter,
        ...filter,
        player_id: player,
        url: `https://${host}/hook`,
        description: '',
      }
      const { endpoint } = await settings.addAndTest(draft, async () => {})
      return endpoint
    },
    async ingest(facts: Fact[], { announce = true } = {}) {
      const outcome = await receiveBatch(ingest, randomUUID(), { facts, announce })
      assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
      await pulse.refresh()
      return outcome
    },
    /** Starts a delivery worker. Its errors fail the test. */
    deliver(options: Partial<DeliveryWorkerOptions> = {}) {
      const worker = startDeliveryWorker({
        pool: pools.outbound,
        pulse,
        sender,
        write,
        inFlightPerEndpoint: 8,
        pollMs: 20,
        now,
        random: () => 0,
        onError: error => {
          throw error
        },
        ...options,
      })
      workers.push(worker)
      return worker
    },
    async close() {
      await Promise.all(workers.map(worker => worker.close()))
      await pulse.close()
      await pools.close()
      await database.drop()
    },
  }
}

export type DeliveryFixture = Awaited<ReturnType<typeof openDeliveryFixture>>
