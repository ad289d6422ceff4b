import { operatorOperations } from '@chancery/contract'
import { disablesAt, type Endpoint } from '../webhooks/endpoint-store.ts'
import type { Replay } from '../webhooks/replay.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'
import { assertOwnerUnchanged, findPlayer, findPlayerOfQuery } from './players.ts'

/** Converts times to UTC: PostgreSQL rejects offsets beyond 16 hours, the year 0 and time zones in brackets. */
function inUtc(selection: Replay): Replay {
  if (!('since' in selection)) return selection
  const [since = '', until = ''] = [selection.since, selection.until].map(text => {
    const time = new Date(text)
    const year = time.getUTCFullYear()
    if (!(year >= 1 && year <= 9999))
      throw new OperatorError('bad_request', 'since and until must be times like 2026-05-27T18:00:00Z.')
    return time.toISOString()
  })
  return { since, until }
}

const endpointView = <E extends Pick<Endpoint, 'failing_since' | 'status'>>(endpoint: E) => ({
  ...endpoint,
  switches_off_at: disablesAt(endpoint),
})

const tested = <T>({ endpoint, test }: { endpoint: Endpoint; test: T }) => ({
  body: { ...endpointView(endpoint), test },
})

/** Webhook endpoints of players. */
export function webhookRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  const { webhooks } = context

  define(operatorOperations.webhooksAdd, async ({ body }) => {
    const { nation_id, player_id, url, description = '', ...filter } = body
    const { types = null, nation_ids = null, alliance_ids = null } = filter
    const playerId = await findPlayer(context, { nation_id, player_id })
    const { endpoint, test } = await webhooks.addAndTest(
      { player_id: playerId, url, description, types, nation_ids, alliance_ids },
      () => assertOwnerUnchanged(playerId, context, { nation_id, player_id }),
    )
    const { id, secret, ...rest } = endpoint
    return { subject: id, body: { id, secret, ...endpointView(rest), test } }
  })

  define(operatorOperations.webhooksList, async ({ query }) => {
    const endpoints = await webhooks.list({ playerId: await findPlayerOfQuery(context, query) })
    return { body: { data: endpoints.map(endpointView) } }
  })

  define(operatorOperations.webhooksGet, async ({ id }) => ({ body: endpointView(await webhooks.find(id)) }))

  define(operatorOperations.webhooksTest, async ({ id }) => tested(await webhooks.test(id)))
  define(operatorOperations.webhooksEnable, async ({ id }) => tested(await webhooks.enable(id)))
  define(operatorOperations.webhooksDisable, async ({ id }) => ({
    body: endpointView(await webhooks.disable(id)),
  }))

  define(operatorOperations.webhooksRotate, async call => {
    const { id, secret, ...rest } = await webhooks.rotate(call.id)
    return { body: { id, secret, ...endpointView(rest) } }
  })

  define(operatorOperations.webhooksDeliveries, async ({ id, query: { limit = 25, state } }) => ({
    body: { data: await webhooks.deliveries(id, { state, limit }) },
  }))

  define(operatorOperations.webhooksReplay, async ({ id, body }) => ({
    body: { queued: await webhooks.replay(id, inUtc(body)) },
  }))

  define(operatorOperations.webhooksRemove, async ({ id }) => {
    await webhooks.remove(id)
    return { body: { id, removed: true } }
  })
}
