import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { contractFor, demoProfile } from '@chancery/contract'
import { createEventSerializer } from '../../src/disclosure/disclosure.ts'
import { createFactValidator, receiveBatch } from '../../src/ingest/index.ts'
import { createPools } from '../../src/store/pools.ts'
import { createPulse } from '../../src/store/pulse.ts'
import type { FilterRow } from '../../src/webhooks/endpoint-store.ts'
import { createMessageWriter } from '../../src/webhooks/message.ts'
import type { AttemptResponse } from '../../src/webhooks/outbound/request.ts'
import type { Message, Sender } from '../../src/webhooks/outbound/sender.ts'
import { createWebhookSettings } from '../../src/webhooks/settings.ts'
import { type DeliveryWorkerOptions, startDeliveryWorker } from '../../src/webhooks/worker.ts'
import { createTestDatabase } from '../support/database.ts'
import type { Fact } from '../support/test-server.ts'

/** What a receiver was sent. */
export interface Received {
  url: string
  id: string
  timestamp: number
  signature: string
  body: string
  /** When, by the clock of the test. */
  atMs: number
}

export const answer = (status: number, more: Partial<AttemptResponse> = {}): AttemptResponse => ({
  status,
  error: null,
  body: '',
  retryAfter: null,
  latencyMs: 1,
  ...more,
})

export const noAnswer = (error: AttemptResponse['error']): AttemptResponse => ({
  status: null,
  error,
  body: null,
  retryAfter: null,
  latencyMs: 1,
})

/** How receivers answer, by the host of their URL. */
type Receiver = (message: Received, signal?: AbortSignal) => AttemptResponse | Promise<AttemptResponse>

const anywhere: FilterRow = { types: null, nation_ids: null, alliance_ids: null }

/**
 * Webhooks on a database of their own, without a server around them: with a clock that stands still until it is moved, and
 * receivers that are functions. The facts come in by the game's door.
 */
export async function openDeliveryFixture() {
  const database = await createTestDatabase()
  const pools = createPools({ target: database.target, timeoutFactor: 40 })
  const pulse = createPulse({ target: database.target, timeoutFactor: 40 })
  await pulse.refresh()
  const contract = contractFor(demoProfile)
  const ingest = { pool: pools.ingest, contract, validate: createFactValidator(contract) }
  const write = createMessageWriter(createEventSerializer(contract), 'test')

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
        body,
        atMs: nowMs,
      }
      received.push(message)
      return (receivers.get(new URL(url).hostname) ?? (() => answer(200)))(message, signal)
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
    /** Messages that came to one host, without tests. */
    newsAt: (host: string) =>
      received.filter(({ url, id }) => new URL(url).hostname === host && !id.startsWith('evt_test_')),
    /** Moves the clock; workers look at the queue at once. */
    advance(ms: number): void {
      nowMs += ms
      for (const worker of workers) worker.wake()
    },
    /** Sets how the receiver of a host answers. */
    receive(host: string, receiver: Receiver): void {
      receivers.set(host, receiver)
    },
    /** Adds an endpoint whose test is answered. */
    async addEndpoint(host: string, filter: Partial<FilterRow> = {}, player = 'p1') {
      const draft = {
        ...anywhere,
        ...filter,
        player_id: player,
        url: `https://${host}/hook`,
        description: '',
      }
      const { endpoint } = await settings.add(draft, async () => {})
      return endpoint
    },
    async ingest(facts: Fact[], { announce = true } = {}) {
      const outcome = await receiveBatch(ingest, randomUUID(), { facts, announce })
      assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
      await pulse.refresh()
      return outcome
    },
    /** Starts delivering. Failures of the loops fail the test. */
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
