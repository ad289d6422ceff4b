import {
  type AccountAction,
  type AccountEndpoint,
  accountOperations,
  type WebhookTestResult,
} from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import { type Database, sql } from '../store/database.ts'
import { disablesAt, type Endpoint } from '../webhooks/endpoint-store.ts'
import { InvalidEndpointError } from '../webhooks/settings.ts'
import { writeAccountLog } from './account-log.ts'
import type { AccountContext, Definers, PlayerRequest } from './context.ts'
import { withActiveSession } from './session/sessions.ts'

/** Webhook endpoints of the player. */
export function webhookRoutes({ player }: Definers, { pools, webhooks }: AccountContext): void {
  player(accountOperations.webhooksList, async ({ session: { playerId } }) => ({
    data: (await webhooks.list({ playerId })).map(endpointView),
  }))

  player(accountOperations.webhooksAdd, async request => {
    const draft = { ...request.body, player_id: request.session.playerId }
    await requireKnown(pools.lookups, draft)
    const endpoint = await webhooks.add(draft, added => record(request, 'webhook.added', added))
    return { ...endpointView(endpoint), secret: endpoint.secret }
  })

  player(accountOperations.webhooksChange, async request => {
    const before = await ownEndpoint(request)
    const { id } = before
    await requireKnown(pools.lookups, request.body, before)
    const changed = await webhooks.change(id, request.body)
    await record(request, 'webhook.changed', changed.endpoint)
    return testedView(changed)
  })

  player(accountOperations.webhooksTest, async request => {
    const { id, status } = await ownEndpoint(request)
    const tested = await webhooks.test(id)
    if (status !== 'active' && tested.endpoint.status === 'active')
      await record(request, 'webhook.enabled', tested.endpoint)
    return testedView(tested)
  })

  player(accountOperations.webhooksEnable, async request => {
    const { id } = await ownEndpoint(request)
    const enabled = await webhooks.enable(id)
    const isActive = enabled.endpoint.status === 'active'
    // Without a test it was active already.
    if (enabled.test)
      await record(
        request,
        'webhook.enabled',
        enabled.endpoint,
        isActive ? '' : ': its test failed, still disabled',
      )
    return testedView(enabled)
  })

  player(accountOperations.webhooksDisable, async request => {
    const { id } = await ownEndpoint(request)
    const disabled = await webhooks.disable(id)
    await record(request, 'webhook.disabled', disabled)
    return endpointView(disabled)
  })

  player(accountOperations.webhooksRotate, async request => {
    const { id } = await ownEndpoint(request)
    const rotated = await webhooks.rotate(id)
    await record(request, 'webhook.rotated', rotated)
    return { ...endpointView(rotated), secret: rotated.secret }
  })

  player(accountOperations.webhooksReplay, async request => {
    const endpoint = await ownEndpoint(request)
    const queued = await webhooks.replay(endpoint.id, request.body)
    await record(request, 'webhook.replayed', endpoint, `: ${queued} deliveries`)
    return { queued }
  })

  player(accountOperations.webhooksDeliveries, async request => {
    const { id } = await ownEndpoint(request)
    const { limit = 25, state } = request.query
    return { data: await webhooks.deliveries(id, { limit, state }) }
  })

  player(accountOperations.webhooksRequests, async request => {
    const { id } = await ownEndpoint(request)
    return webhooks.requests(id, request.query.delivery)
  })

  player(accountOperations.webhooksRemove, async request => {
    const endpoint = await ownEndpoint(request)
    await webhooks.remove(endpoint.id)
    await record(request, 'webhook.removed', endpoint)
    return { id: endpoint.id, removed: true as const }
  })

  /** The player's endpoint. One of another player gets the same response as none. */
  async function ownEndpoint({ session, id }: PlayerRequest & { id: string }): Promise<Endpoint> {
    const endpoint = await webhooks.find(id)
    if (endpoint.player_id !== session.playerId) throw notFound('webhook endpoint')
    return endpoint
  }

  /** Writes the account log after the change, not in its transaction: the database role of endpoints cannot write it. */
  async function record(
    { session, req }: PlayerRequest,
    action: Extract<AccountAction, `webhook.${string}`>,
    { id, url }: Endpoint,
    more = '',
  ): Promise<void> {
    const line = { playerId: session.playerId, action, subject: id, detail: hostOf(url) + more }
    await withActiveSession(pools, session, db => writeAccountLog(db, req, line))
  }
}

type SubjectFilter = Pick<Endpoint, 'nation_ids' | 'alliance_ids'>

/**
 * @throws {InvalidEndpointError} for a nation or an alliance in a filter that does not exist. One that the endpoint had `before` may stay:
 * it may have been deleted since.
 */
async function requireKnown(db: Database, filter: SubjectFilter, before?: SubjectFilter): Promise<void> {
  for (const [field, table, name] of [
    ['nation_ids', sql`chancery_world.nation`, 'nation'],
    ['alliance_ids', sql`chancery_world.alliance`, 'alliance'],
  ] as const) {
    const added = filter[field]?.filter(id => !before?.[field]?.includes(id)) ?? []
    if (added.length === 0) continue
    const rows = await db.rows<{ id: string }>(sql`select id from ${table} where id = any(${added}::text[])`)
    const known = new Set(rows.map(({ id }) => id))
    const unknown = added.filter(id => !known.has(id))
    if (unknown.length > 0)
      throw new InvalidEndpointError(field, `There is no ${name} with the id ${unknown.join(', ')}.`)
  }
}

/** Path and query of an endpoint may contain a secret. */
const hostOf = (url: string) => URL.parse(url)?.host ?? ''

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
  last_failed_status: endpoint.last_failed_status,
  last_failed_error: endpoint.last_failed_error,
  next_attempt_at: endpoint.next_attempt_at,
  failing_since: endpoint.failing_since,
  switches_off_at: disablesAt(endpoint),
  warnings: endpoint.warnings,
  previous_secret_ends_at: endpoint.previous_secret_ends_at,
})

const testedView = ({ endpoint, test }: { endpoint: Endpoint; test: WebhookTestResult | null }) => ({
  ...endpointView(endpoint),
  test,
})
