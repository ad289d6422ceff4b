import {
  type AccountAction,
  type AccountEndpoint,
  deliveryStates,
  endpointDraft,
  replayRequest,
  type WebhookTestResult,
} from '@chancery/contract'
import Type from 'typebox'
import { notFound } from '../http/http-error.ts'
import type { Endpoint } from '../webhooks/endpoint-store.ts'
import { disablesAt } from '../webhooks/endpoint-store.ts'
import { writeAccountLog } from './account-log.ts'
import { withLiveSession } from './change-own.ts'
import { type PlayerCall, playerRoute, takesNothing } from './route.ts'

const deliveryFilter = Type.Object(
  {
    limit: Type.Optional(Type.String({ pattern: '^([1-9]\\d?|100)$' })),
    state: Type.Optional(Type.Enum(deliveryStates)),
  },
  { additionalProperties: false },
)

const endpointView = (endpoint: Endpoint): AccountEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.types,
  nation_ids: endpoint.nation_ids,
  alliance_ids: endpoint.alliance_ids,
  status: endpoint.status,
  disabled_reason: endpoint.disabled_reason,
  disabled_at: endpoint.disabled_at,
  created_at: endpoint.created_at,
  last_delivered_at: endpoint.last_delivered_at,
  last_failed_at: endpoint.last_failed_at,
  failing_since: endpoint.failing_since,
  switches_off_at: disablesAt(endpoint),
  warnings: endpoint.warnings,
  previous_secret_ends_at: endpoint.previous_secret_ends_at,
})

const tested = ({ endpoint, test }: { endpoint: Endpoint; test: WebhookTestResult | null }) => ({
  ...endpointView(endpoint),
  test,
})

/** The player's endpoint that the path names. Another player's is as good as none: the same look-up, the same answer. */
async function ownEndpoint({ context, session, id }: PlayerCall<unknown, unknown>): Promise<Endpoint> {
  const endpoint = await context.webhooks.find(id)
  if (endpoint.player_id !== session.playerId) throw notFound('webhook endpoint')
  return endpoint
}

/**
 * Writes down what was done to an endpoint. After it, not with it: endpoints belong to another role of the database, which reaches no
 * account log.
 */
const note = (
  call: PlayerCall<unknown, unknown>,
  action: Extract<AccountAction, `webhook.${string}`>,
  { id, url }: Endpoint,
  more = '',
): Promise<void> =>
  withLiveSession(call, db =>
    writeAccountLog(db, { playerId: call.session.playerId, action, subject: id, detail: hostOf(url) + more }),
  )

/** The path and query of an endpoint may hold what only its receiver should know. */
const hostOf = (url: string) => URL.parse(url)?.host ?? ''

/** Webhooks of the player. */
export const webhookRoutes = [
  playerRoute('GET', '/webhooks', takesNothing, async ({ context, session: { playerId } }) => ({
    data: (await context.webhooks.list({ playerId })).map(endpointView),
  })),

  playerRoute('POST', '/webhooks', { ...takesNothing, body: endpointDraft, status: 201 }, async call => {
    const { context, session, body } = call
    const draft = { ...body, player_id: session.playerId }
    const { endpoint, test } = await context.webhooks.add(draft, added => note(call, 'webhook.added', added))
    return { ...endpointView(endpoint), secret: endpoint.secret, test }
  }),

  playerRoute('PUT', '/webhooks/:id', { ...takesNothing, body: endpointDraft }, async call => {
    const { context, body } = call
    const { id } = await ownEndpoint(call)
    const changed = await context.webhooks.change(id, body)
    await note(call, 'webhook.changed', changed.endpoint)
    return tested(changed)
  }),

  playerRoute('POST', '/webhooks/:id/test', takesNothing, async call => {
    const { id } = await ownEndpoint(call)
    return tested(await call.context.webhooks.test(id))
  }),

  playerRoute('POST', '/webhooks/:id/enable', takesNothing, async call => {
    const { id } = await ownEndpoint(call)
    const enabled = await call.context.webhooks.enable(id)
    const isOn = enabled.endpoint.status === 'active'
    // Without a test it was on already.
    if (enabled.test)
      await note(call, 'webhook.enabled', enabled.endpoint, isOn ? '' : ': it did not answer, and stays off')
    return tested(enabled)
  }),

  playerRoute('POST', '/webhooks/:id/disable', takesNothing, async call => {
    const { id } = await ownEndpoint(call)
    const disabled = await call.context.webhooks.disable(id)
    await note(call, 'webhook.disabled', disabled)
    return endpointView(disabled)
  }),

  playerRoute('POST', '/webhooks/:id/rotate', takesNothing, async call => {
    const { id } = await ownEndpoint(call)
    const rotated = await call.context.webhooks.rotate(id)
    await note(call, 'webhook.rotated', rotated)
    return { ...endpointView(rotated), secret: rotated.secret }
  }),

  playerRoute('POST', '/webhooks/:id/replay', { ...takesNothing, body: replayRequest }, async call => {
    const endpoint = await ownEndpoint(call)
    const queued = await call.context.webhooks.replay(endpoint.id, call.body)
    await note(call, 'webhook.replayed', endpoint, `: ${queued} deliveries`)
    return { queued }
  }),

  playerRoute('GET', '/webhooks/:id/deliveries', { ...takesNothing, query: deliveryFilter }, async call => {
    const { id } = await ownEndpoint(call)
    const { limit = '25', state } = call.query
    const deliveries = await call.context.webhooks.deliveries(id, { limit: Number(limit), state })
    return { data: deliveries }
  }),

  playerRoute('DELETE', '/webhooks/:id', takesNothing, async call => {
    const endpoint = await ownEndpoint(call)
    await call.context.webhooks.remove(endpoint.id)
    await note(call, 'webhook.removed', endpoint)
    return { id: endpoint.id, removed: true }
  }),
]
