import { randomBytes } from 'node:crypto'
import { type Contract, type DisabledReason, webhooks } from '@chancery/contract'
import type { Event } from '../events/store.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { DatabasePool } from '../store/database.ts'
import { type Delivery, type LogFilter, listDeliveries, recordTest } from './delivery-log.ts'
import { problemOfFilter } from './filter.ts'
import type { WriteMessage } from './message.ts'
import { checkEndpointUrl } from './outgoing/endpoint-url.ts'
import type { Answered, Sender } from './outgoing/send.ts'
import { type Replay, replay } from './replay.ts'
import { hasArrived } from './settlement.ts'
import { makeSecret } from './signature.ts'
import {
  activate,
  disable,
  disableAllOf,
  type Endpoint,
  type EndpointWithSecret,
  findEndpoint,
  findEndpointWithSecret,
  insertEndpoint,
  listEndpoints,
  type NewEndpoint,
  removeEndpoint,
  replaceSecret,
} from './store.ts'

/** What the receiver said to a test. */
export interface TestAnswer extends Pick<Answered, 'status' | 'error' | 'answer'> {
  has_arrived: boolean
  latency_ms: number
}

/** What an owner, or the operator for them, can do with webhooks. Unknown ids are refused with `not_found`, wrong input with `bad_request`. */
export interface WebhookSettings {
  /** Adds an endpoint and tests it: it hears from then on if the test was answered. The secret is shown this once. */
  add(endpoint: NewEndpoint): Promise<{ endpoint: EndpointWithSecret; test: TestAnswer }>
  list(filter: { playerId?: string | undefined }): Promise<Endpoint[]>
  find(id: string): Promise<Endpoint>
  /** Sends a test, and lets an endpoint that waited for its first answer hear. */
  test(id: string): Promise<{ endpoint: Endpoint; test: TestAnswer }>
  /** Lets an endpoint hear from now on, if it answers a test. */
  enable(id: string): Promise<{ endpoint: Endpoint; test: TestAnswer | null }>
  disable(id: string): Promise<Endpoint>
  remove(id: string): Promise<void>
  /** A new secret, shown this once. The one before it signs too, for a day. */
  rotate(id: string): Promise<EndpointWithSecret>
  log(id: string, filter: LogFilter): Promise<Delivery[]>
  /** Answers how many deliveries were queued. */
  replay(id: string, wanted: Replay): Promise<number>
  /** Switches off whatever a player has. */
  stopAllOf(playerId: string, reason: DisabledReason): Promise<number>
}

export interface WebhookSettingsOptions {
  pool: DatabasePool
  contract: Contract
  sender: Sender
  write: WriteMessage
  /** Whether http and addresses that are not public are allowed. */
  allowsLocal: boolean
  /** Called when there is something to deliver. */
  onQueued?: () => void
  now?: () => number
}

export function createWebhookSettings(options: WebhookSettingsOptions): WebhookSettings {
  const { pool, contract, sender, write, allowsLocal, onQueued, now = Date.now } = options

  async function sendTest({ id, url, secret }: EndpointWithSecret): Promise<TestAnswer> {
    const startedMs = now()
    const answered = await sender.send(write(testEvent(id, startedMs), { url, secrets: [secret] }, startedMs))
    const { status, error, answer, latencyMs } = answered
    const has_arrived = hasArrived(answered)
    await recordTest(pool, {
      endpointId: id,
      nowMs: startedMs,
      hasArrived: has_arrived,
      latencyMs,
      status,
      error,
      answer,
    })
    return { has_arrived, status, error, answer, latency_ms: Math.round(latencyMs) }
  }

  async function hear(id: string): Promise<Endpoint> {
    const activated = found(await activate(pool, id, now()))
    if (activated === 'player_suspended') throw suspended()
    return activated
  }

  const find = async (id: string) => found(await findEndpoint(pool, id))
  const findWithSecret = async (id: string) => found(await findEndpointWithSecret(pool, id))

  return {
    find,
    list: filter => listEndpoints(pool, filter),

    async add(endpoint) {
      const problem = problemOf(endpoint)
      if (problem) throw new ApiError('bad_request', problem)
      const url = checkEndpointUrl(endpoint.url, { allowsLocal })
      if (typeof url === 'string') throw new ApiError('bad_request', url)
      const inserted = await insertEndpoint(
        pool,
        { ...endpoint, url: url.href },
        { secret: makeSecret(), endpointsMax: webhooks.endpointsPerPlayerMax, nowMs: now() },
      )
      if (inserted === 'player_suspended') throw suspended()
      if (inserted === 'too_many_endpoints') {
        throw new ApiError(
          'bad_request',
          `This player has ${webhooks.endpointsPerPlayerMax} endpoints, as many as there may be: remove one.`,
        )
      }
      const test = await sendTest(inserted)
      const shown = test.has_arrived ? await hear(inserted.id) : inserted
      return { endpoint: { ...shown, secret: inserted.secret }, test }
    },

    async test(id) {
      const { secret, ...endpoint } = await findWithSecret(id)
      const test = await sendTest({ ...endpoint, secret })
      const isConfirmed = test.has_arrived && endpoint.status === 'unconfirmed'
      return { endpoint: isConfirmed ? await hear(id) : endpoint, test }
    },

    async enable(id) {
      const { secret, ...endpoint } = await findWithSecret(id)
      if (endpoint.status === 'active') return { endpoint, test: null }
      const test = await sendTest({ ...endpoint, secret })
      return { endpoint: test.has_arrived ? await hear(id) : endpoint, test }
    },

    async disable(id) {
      return found(await disable(pool, id, 'owner', now()))
    },

    async remove(id) {
      if (!(await removeEndpoint(pool, id))) throw notFound('webhook endpoint')
    },

    async rotate(id) {
      const overlapMs = webhooks.secretOverlapHours * 3_600_000
      return found(await replaceSecret(pool, id, { secret: makeSecret(), overlapMs, nowMs: now() }))
    },

    async log(id, filter) {
      await find(id)
      return listDeliveries(pool, id, filter)
    },

    async replay(id, wanted) {
      const endpoint = await find(id)
      if (endpoint.status !== 'active')
        throw new ApiError('bad_request', 'This endpoint is not active: enable it first, then replay.')
      const queued = await replay(pool, endpoint, wanted, now())
      if (queued === 0 && 'delivery' in wanted) throw notFound('delivery')
      onQueued?.()
      return queued
    },

    stopAllOf: (playerId, reason) => disableAllOf(pool, playerId, reason, now()),
  }

  function problemOf({ description, types, nation_ids, alliance_ids }: NewEndpoint): string | undefined {
    if (description.length > webhooks.descriptionLengthMax)
      return `description: has more than ${webhooks.descriptionLengthMax} characters.`
    return problemOfFilter(contract, { types, nation_ids, alliance_ids })
  }
}

function found<T>(endpoint: T | undefined): T {
  if (endpoint === undefined) throw notFound('webhook endpoint')
  return endpoint
}

const suspended = () =>
  new ApiError('bad_request', 'This player is suspended: nothing is delivered for them.')

/** An event that is not in the log: it has its shape, and the number 0. */
function testEvent(endpointId: string, nowMs: number): Event {
  return {
    id: `evt_test_${randomBytes(9).toString('hex')}`,
    seq: 0,
    type: webhooks.testType,
    occurred_at: new Date(nowMs).toISOString(),
    summary: 'A test of a webhook endpoint.',
    nation_ids: [],
    alliance_ids: [],
    war_id: null,
    conflict_id: null,
    data: { endpoint_id: endpointId },
  }
}
