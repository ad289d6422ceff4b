import { deliveryStates } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ApiError } from '../http/api-error.ts'
import type { Replay } from '../webhooks/replay.ts'
import type { Endpoint } from '../webhooks/store.ts'
import { switchesOffAt } from '../webhooks/switches-off.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'
import { playerMembers, playerOf, playerOfQuery } from './players.ts'

const words = () =>
  Type.Optional(Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 64 })), Type.Null()]))

const readNewEndpoint = bodyReader(
  Type.Object(
    {
      ...playerMembers,
      url: Type.String({ minLength: 1 }),
      description: Type.Optional(Type.String()),
      types: words(),
      nation_ids: words(),
      alliance_ids: words(),
    },
    { additionalProperties: false },
  ),
)

const strict = { additionalProperties: false }
const instant = () => Type.String({ format: 'date-time' })
const readReplay = bodyReader(
  Type.Union([
    Type.Object({ delivery: Type.String() }, strict),
    Type.Object({ failed: Type.Literal(true) }, strict),
    Type.Object({ since: instant(), until: instant() }, strict),
  ]),
)

const readLogFilter = bodyReader(
  Type.Object(
    {
      limit: Type.Optional(Type.String({ pattern: '^([1-9]\\d?|100)$' })),
      state: Type.Optional(Type.Enum(deliveryStates)),
    },
    strict,
  ),
)

/** Times in UTC: PostgreSQL knows no offset beyond 16 hours, no year 0 and no time zone in brackets. */
function inUtc(asked: Replay): Replay {
  if (!('since' in asked)) return asked
  const [since = '', until = ''] = [asked.since, asked.until].map(text => {
    const time = new Date(text)
    const year = time.getUTCFullYear()
    if (!(year >= 1 && year <= 9999))
      throw new ApiError('bad_request', 'since and until must be times like 2026-05-27T18:00:00Z.')
    return time.toISOString()
  })
  return { since, until }
}

/** With when a spell of failures would end in being switched off. */
const shown = <E extends Pick<Endpoint, 'failing_since' | 'status'>>(endpoint: E) => ({
  ...endpoint,
  switches_off_at: switchesOffAt(endpoint),
})

/** Webhooks of players, for the operator. */
export function webhookRoutes(app: FastifyInstance, context: OperatorContext): void {
  const { webhooks } = context
  type One = { Params: { id: string } }

  app.post('/webhooks', async (req, reply) => {
    const { nation_id, player_id, url, description = '', ...filter } = readNewEndpoint(req.body)
    const { types = null, nation_ids = null, alliance_ids = null } = filter
    const { endpoint, test } = await webhooks.add({
      player_id: await playerOf(context, { nation_id, player_id }),
      url,
      description,
      types,
      nation_ids,
      alliance_ids,
    })
    const { id, secret, ...rest } = endpoint
    return reply.code(201).send({ id, secret, ...shown(rest), test })
  })

  app.get<{ Querystring: { player_id?: string; nation_id?: string } }>('/webhooks', async req => {
    const endpoints = await webhooks.list({ playerId: await playerOfQuery(context, req.query) })
    return { data: endpoints.map(shown) }
  })

  app.get<One>('/webhooks/:id', async req => shown(await webhooks.find(req.params.id)))

  app.post<One>('/webhooks/:id/test', async req => tested(await webhooks.test(req.params.id)))
  app.post<One>('/webhooks/:id/enable', async req => tested(await webhooks.enable(req.params.id)))
  app.post<One>('/webhooks/:id/disable', async req => shown(await webhooks.disable(req.params.id)))

  app.post<One>('/webhooks/:id/rotate', async req => {
    const { id, secret, ...rest } = await webhooks.rotate(req.params.id)
    return { id, secret, ...shown(rest) }
  })

  app.get<One>('/webhooks/:id/deliveries', async req => {
    const { limit = '25', state } = readLogFilter(req.query)
    return { data: await webhooks.log(req.params.id, { state, limit: Number(limit) }) }
  })

  app.post<One>('/webhooks/:id/replay', async req => ({
    queued: await webhooks.replay(req.params.id, inUtc(readReplay(req.body))),
  }))

  app.delete<One>('/webhooks/:id', async req => {
    await webhooks.remove(req.params.id)
    return { id: req.params.id, removed: true }
  })
}

const tested = <T>({ endpoint, test }: { endpoint: Endpoint; test: T }) => ({ ...shown(endpoint), test })
