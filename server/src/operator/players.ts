import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { resumePlayer, suspendPlayer } from '../access/suspensions.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import { findPlayerOfNation } from '../resources/nations/store.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'

const id = () => Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

/** Members of a body that name a player, directly or by the nation that is theirs now. */
export const playerMembers = { nation_id: Type.Optional(id()), player_id: Type.Optional(id()) }

interface PlayerNamed {
  nation_id?: string | undefined
  player_id?: string | undefined
}

/** The player that is named. @throws {ApiError} where none or two are, or nobody knows whose nation it is. */
export async function playerOf(
  { pools }: Pick<OperatorContext, 'pools'>,
  { nation_id, player_id }: PlayerNamed,
): Promise<string> {
  if ((nation_id === undefined) === (player_id === undefined))
    throw new ApiError('bad_request', 'Name the player by one nation_id or by one player_id.')
  if (player_id !== undefined) return player_id
  const player = await findPlayerOfNation({ pools }, nation_id ?? '')
  if (player === undefined) throw notFound('nation')
  if (player === null)
    throw new ApiError('bad_request', 'The game has not said which player leads this nation.')
  return player
}

/** The player of a query, where one is named. */
export async function playerOfQuery(
  context: Pick<OperatorContext, 'pools'>,
  query: PlayerNamed,
): Promise<string | undefined> {
  const isNamed = query.nation_id !== undefined || query.player_id !== undefined
  return isNamed ? playerOf(context, query) : undefined
}

const readSuspension = bodyReader(
  Type.Object(
    { note: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()])) },
    { additionalProperties: false },
  ),
)

/** Players who may not use the API for a while. */
export function playerRoutes(app: FastifyInstance, { pools, pulse, webhooks }: OperatorContext): void {
  app.post<{ Params: { id: string } }>('/players/:id/suspend', async req => {
    const { note = null } = readSuspension(req.body ?? {})
    const player_id = req.params.id
    const { suspendedAt } = await suspendPlayer(pools.access, player_id, note)
    const webhooks_disabled = await webhooks.stopAllOf(player_id, 'player_suspended')
    await pulse.refresh()
    return { player_id, suspended_at: suspendedAt, note, webhooks_disabled }
  })

  app.post<{ Params: { id: string } }>('/players/:id/resume', async req => {
    if (!(await resumePlayer(pools.access, req.params.id))) throw notFound('suspension of this player')
    await pulse.refresh()
    return { player_id: req.params.id, suspended_at: null }
  })
}
