import { randomBytes } from 'node:crypto'
import {
  type Contract,
  type DisabledReason,
  type WebhookDelivery,
  type WebhookTestResult,
  webhooks,
} from '@chancery/contract'
import type { Event } from '../events/store.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { DatabasePool } from '../store/database.ts'
import { isSuccess } from './attempt.ts'
import { type DeliveryFilter, listDeliveries, recordTest } from './delivery-log.ts'
import { recordSlow } from './endpoint-health.ts'
import {
  activate,
  changeEndpoint,
  disable,
  disableAllOf,
  type Endpoint,
  type EndpointChange,
  type EndpointWithSecret,
  findEndpoint,
  findEndpointWithSecret,
  insertEndpoint,
  listEndpoints,
  type NewEndpoint,
  removeEndpoint,
} from './endpoint-store.ts'
import { problemOfFilter } from './filter.ts'
import type { WriteMessage } from './message.ts'
import { checkEndpointUrl } from './outbound/guard.ts'
import type { Sender } from './outbound/sender.ts'
import { slowAfterMs } from './queue.ts'
import { type Replay, replay } from './replay.ts'
import { findSecrets, firstPreviousEnd, replaceSecret } from './secrets.ts'
import { makeSecret } from './signature.ts'
import { TooManyEndpointsError } from './too-many-endpoints.ts'

/** What an owner, or the operator for them, can do with webhooks. Unknown ids are refused with `not_found`, wrong input with `bad_request`. */
export interface WebhookSettings {
  /**
   * Adds an endpoint and tests it: it hears from then on if the test was answered. The secret is shown this once. Where `confirm`
   * throws, it is taken away again: its player may have been forgotten while it was made.
   */
  add(
    endpoint: NewEndpoint,
    confirm: (added: Endpoint) => Promise<void>,
  ): Promise<{ endpoint: EndpointWithSecret; test: WebhookTestResult }>
  list(filter: { playerId?: string | undefined }): Promise<Endpoint[]>
  find(id: string): Promise<Endpoint>
  /** Changes an endpoint. Another URL hears from when it answers a test: one is sent at once, unless the endpoint is switched off. */
  change(id: string, change: EndpointChange): Promise<{ endpoint: Endpoint; test: WebhookTestResult | null }>
  /** Sends a test, and lets an endpoint that waited for its first answer hear. */
  test(id: string): Promise<{ endpoint: Endpoint; test: WebhookTestResult }>
  /** Lets an endpoint hear from now on, if it answers a test. */
  enable(id: string): Promise<{ endpoint: Endpoint; test: WebhookTestResult | null }>
  disable(id: string): Promise<Endpoint>
  remove(id: string): Promise<void>
  /** A new secret, shown this once. Each one before it signs too, for a day; with as many as there may be, `bad_request`. */
  rotate(id: string): Promise<EndpointWithSecret>
  deliveries(id: string, filter: DeliveryFilter): Promise<WebhookDelivery[]>
  /** Answers how many deliveries were queued. */
  replay(id: string, wanted: Replay): Promise<number>
  /** Switches off whatever a player has. */
  disableAllOf(playerId: string, reason: DisabledReason): Promise<number>
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

  async function sendTest({ id, url }: Endpoint): Promise<WebhookTestResult> {
    const startedMs = now()
    const secrets = await findSecrets(pool, id, startedMs)
    const answered = await sender.send(write(testEvent(id, startedMs), { url, secrets }, startedMs))
    const { status, error, body: answer, latencyMs } = answered
    const has_arrived = isSuccess(answered)
    await recordTest(pool, {
      endpointId: id,
      nowMs: startedMs,
      hasArrived: has_arrived,
      latencyMs,
      status,
      error,
      answer,
    })
    if (latencyMs >= slowAfterMs) await recordSlow(pool, new Map([[id, latencyMs]]), startedMs)
    return { has_arrived, status, error, answer, latency_ms: Math.round(latencyMs) }
  }

  /** Lets an endpoint hear that was tested as it is given here. */
  async function activateTested(tested: Endpoint): Promise<Endpoint> {
    const activated = found(await activate(pool, tested, now()))
    if (activated === 'player_suspended') throw suspended()
    return activated
  }

  const find = async (id: string) => found(await findEndpoint(pool, id))

  return {
    find,
    list: filter => listEndpoints(pool, filter),

    async add(endpoint, confirm) {
      const inserted = await insertEndpoint(
        pool,
        { ...endpoint, url: checkedUrl(endpoint) },
        { secret: makeSecret(), endpointsMax: webhooks.endpointsPerPlayerMax, nowMs: now() },
      )
      if (inserted === 'player_suspended') throw suspended()
      if (inserted === 'too_many_endpoints') throw new TooManyEndpointsError()
      await confirm(inserted).catch(async error => {
        await removeEndpoint(pool, inserted.id)
        throw error
      })
      const test = await sendTest(inserted)
      const shown = test.has_arrived ? await activateTested(inserted) : inserted
      return { endpoint: { ...shown, secret: inserted.secret }, test }
    },

    async change(id, change) {
      const changed = { ...change, url: checkedUrl(change) }
      const { endpoint, hasMoved } = found(await changeEndpoint(pool, id, changed, now()))
      if (!hasMoved || endpoint.status === 'disabled') return { endpoint, test: null }
      const test = await sendTest(endpoint)
      return { endpoint: test.has_arrived ? await activateTested(endpoint) : endpoint, test }
    },

    async test(id) {
      const endpoint = await find(id)
      const test = await sendTest(endpoint)
      const isConfirmed = test.has_arrived && endpoint.status === 'unconfirmed'
      return { endpoint: isConfirmed ? await activateTested(endpoint) : endpoint, test }
    },

    async enable(id) {
      const endpoint = await find(id)
      if (endpoint.status === 'active') return { endpoint, test: null }
      const test = await sendTest(endpoint)
      return { endpoint: test.has_arrived ? await activateTested(endpoint) : endpoint, test }
    },

    async disable(id) {
      return found(await disable(pool, id, 'owner', now()))
    },

    async remove(id) {
      if (!(await removeEndpoint(pool, id))) throw notFound('webhook endpoint')
    },

    async rotate(id) {
      const nowMs = now()
      const { previousSecretsMax: previousMax, secretOverlapHours } = webhooks
      const overlapMs = secretOverlapHours * 3_600_000
      const outcome = found(
        await replaceSecret(pool, id, { secret: makeSecret(), overlapMs, previousMax, nowMs }),
      )
      if (outcome === 'too_many')
        throw new ApiError(
          'bad_request',
          `The limit of ${previousMax} previous secrets is reached. Rotate again after ${await firstPreviousEnd(pool, id, nowMs)}.`,
        )
      return found(await findEndpointWithSecret(pool, id))
    },

    async deliveries(id, filter) {
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

    disableAllOf: (playerId, reason) => disableAllOf(pool, playerId, reason, now()),
  }

  /** The URL as it will be called, of an endpoint of which all else is right too. */
  function checkedUrl({ url: text, description, types, nation_ids, alliance_ids }: EndpointChange): string {
    if (description.length > webhooks.descriptionLengthMax)
      throw new ApiError(
        'bad_request',
        `description: has more than ${webhooks.descriptionLengthMax} characters.`,
      )
    const problem = problemOfFilter(contract, { types, nation_ids, alliance_ids })
    if (problem) throw new ApiError('bad_request', problem)
    const url = checkEndpointUrl(text, { allowsLocal })
    if (typeof url === 'string') throw new ApiError('bad_request', url)
    return url.href
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
