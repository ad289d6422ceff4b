import { randomUUID } from 'node:crypto'
import { type Contract, type DisabledReason, type WebhookTestResult, webhooks } from '@chancery/contract'
import { ApiError, notFound } from '../http/http-error.ts'
import type { DatabasePool } from '../store/database.ts'
import { isSuccess } from './attempt.ts'
import { type DeliveryFilter, listDeliveries, recordTest } from './delivery-log.ts'
import { createReadRequests } from './delivery-requests.ts'
import { recordFailedTest, recordSlow } from './endpoint-health.ts'
import {
  activate,
  changeEndpoint,
  disable,
  disableAllOf,
  type Endpoint,
  type EndpointChange,
  filterProblem,
  findEndpoint,
  findEndpointWithSecret,
  insertEndpoint,
  listEndpoints,
  type NewEndpoint,
  removeEndpoint,
} from './endpoint-store.ts'

import { testEvent, type WriteMessage } from './message.ts'
import { checkEndpointUrl } from './outbound/guard.ts'
import type { Sender } from './outbound/sender.ts'
import { slowAfterMs } from './queue.ts'
import { type Replay, replay } from './replay.ts'
import { findSecrets, firstPreviousEnd, makeSecret, replaceSecret } from './secrets.ts'

export interface WebhookSettingsOptions {
  pool: DatabasePool
  contract: Contract
  sender: Sender
  write: WriteMessage
  /** Allows http and addresses that are not public. */
  allowsLocal: boolean
  /** Called after deliveries were queued. */
  onQueued?: () => void
  now?: () => number
}

export type WebhookSettings = ReturnType<typeof createWebhookSettings>

/** Management of webhook endpoints, for owners and operators. Throws `not_found` for an unknown id and `bad_request` for invalid input. */
export function createWebhookSettings(options: WebhookSettingsOptions) {
  const { pool, contract, sender, write, allowsLocal, onQueued, now = Date.now } = options
  const readRequests = createReadRequests(pool, write)

  async function sendTest({ id, url }: Endpoint): Promise<WebhookTestResult> {
    const startedMs = now()
    const secrets = await findSecrets(pool, id, startedMs)
    const testId = randomUUID()
    const message = write(
      testEvent({ testId, endpointId: id, nowMs: startedMs }),
      { url, secrets },
      startedMs,
    )
    const response = await sender.send(message)
    await recordTest(pool, { testId, endpointId: id, message, response, nowMs: startedMs })
    if (!isSuccess(response)) await recordFailedTest(pool, id, response, startedMs)
    const { status, error, body: answer, latencyMs } = response
    if (latencyMs >= slowAfterMs) await recordSlow(pool, new Map([[id, latencyMs]]), startedMs)
    return { has_arrived: isSuccess(response), status, error, answer, latency_ms: Math.round(latencyMs) }
  }

  /** Sends a test, and activates the endpoint when it succeeds. */
  async function testAndActivate(endpoint: Endpoint, mayActivate = true) {
    const test = await sendTest(endpoint)
    if (!test.has_arrived || !mayActivate)
      return { endpoint: (await findEndpoint(pool, endpoint.id)) ?? endpoint, test }
    const activated = found(await activate(pool, endpoint, now()))
    if (activated === 'player_suspended') throw suspended()
    return { endpoint: activated, test }
  }

  const find = async (id: string) => found(await findEndpoint(pool, id))

  /**
   * Adds an endpoint, which receives nothing until a test succeeds. The secret is returned this once. The endpoint is removed again if
   * `confirm` throws, because its player may have been deleted meanwhile.
   */
  async function add(endpoint: NewEndpoint, confirm: (added: Endpoint) => Promise<void>) {
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
    return inserted
  }

  return {
    find,
    list: (filter: { playerId?: string | undefined }) => listEndpoints(pool, filter),

    add,

    /** Adds an endpoint and sends a test, which activates it when it succeeds. */
    async addAndTest(endpoint: NewEndpoint, confirm: (added: Endpoint) => Promise<void>) {
      const added = await add(endpoint, confirm)
      const { endpoint: tested, test } = await testAndActivate(added)
      return { endpoint: { ...tested, secret: added.secret }, test }
    },

    /** Changes an endpoint. A new URL is tested at once and active when the test succeeds, unless the endpoint is disabled. */
    async change(id: string, change: EndpointChange) {
      const changed = { ...change, url: checkedUrl(change) }
      const { endpoint, urlChanged } = found(await changeEndpoint(pool, id, changed, now()))
      if (!urlChanged || endpoint.status === 'disabled') return { endpoint, test: null }
      return testAndActivate(endpoint)
    },

    /** Sends a test. A success activates an unconfirmed endpoint. */
    async test(id: string) {
      const endpoint = await find(id)
      return testAndActivate(endpoint, endpoint.status === 'unconfirmed')
    },

    /** Sends a test and activates the endpoint when it succeeds. */
    async enable(id: string) {
      const endpoint = await find(id)
      return endpoint.status === 'active' ? { endpoint, test: null } : testAndActivate(endpoint)
    },

    disable: async (id: string) => found(await disable(pool, id, 'owner', now())),

    async remove(id: string) {
      if (!(await removeEndpoint(pool, id))) throw notFound('webhook endpoint')
    },

    /** Replaces the secret and returns the new one this once. Old ones sign for another day; throws `bad_request` beyond their limit. */
    async rotate(id: string) {
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

    async deliveries(id: string, filter: DeliveryFilter) {
      await find(id)
      return listDeliveries(pool, id, filter)
    },

    /** What the attempts of a delivery sent. Throws `not_found` for a delivery that the endpoint does not have. */
    async requests(id: string, deliveryId: string) {
      const requests = await readRequests(id, deliveryId)
      if (!requests) throw notFound('delivery')
      return requests
    },

    /** Returns how many deliveries were queued. */
    async replay(id: string, selection: Replay) {
      const endpoint = await find(id)
      if (endpoint.status !== 'active')
        throw new ApiError('bad_request', 'This endpoint is not active: enable it first, then replay.')
      const queued = await replay(pool, endpoint, selection, now())
      if (queued === 0 && 'delivery' in selection) throw notFound('delivery')
      onQueued?.()
      return queued
    },

    /** Disables all endpoints of a player. Returns how many. */
    disableAllOf: (playerId: string, reason: DisabledReason) => disableAllOf(pool, playerId, reason, now()),
  }

  /** Validates an endpoint and returns its normalized URL. */
  function checkedUrl({ url: text, description, types, nation_ids, alliance_ids }: EndpointChange): string {
    if (description.length > webhooks.descriptionLengthMax)
      throw new InvalidEndpointError(
        'description',
        `description: has more than ${webhooks.descriptionLengthMax} characters.`,
      )
    const problem = filterProblem(contract, { types, nation_ids, alliance_ids })
    if (problem) throw new InvalidEndpointError(problem.field, problem.message)
    const url = checkEndpointUrl(text, { allowsLocal })
    if (typeof url === 'string') throw new InvalidEndpointError('url', url)
    return url.href
  }
}

/** A member of an endpoint has an invalid value. */
export class InvalidEndpointError extends ApiError {
  readonly invalidField: keyof EndpointChange

  constructor(field: keyof EndpointChange, message: string) {
    super('bad_request', message)
    this.invalidField = field
  }
}

/** A player has reached the limit of endpoints. */
export class TooManyEndpointsError extends ApiError {
  constructor() {
    super(
      'bad_request',
      `The limit of ${webhooks.endpointsPerPlayerMax} endpoints per player is reached. Remove one first.`,
    )
  }
}

function found<T>(endpoint: T | undefined): T {
  if (endpoint === undefined) throw notFound('webhook endpoint')
  return endpoint
}

const suspended = () =>
  new ApiError('bad_request', 'This player is suspended; webhooks of suspended players stay disabled.')
