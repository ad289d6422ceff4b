import Type from 'typebox'
import { listKeysOfPlayer } from '../access/store.ts'
import { findRequestsOfKeys, readUsageOfKey } from '../journal/queries.ts'
import { notFoundForPlayer } from './account-error.ts'
import type { AccountContext } from './context.ts'
import { playerRoute, takesNothing } from './route.ts'

const callsShown = 200

const callFilter = Type.Object(
  {
    key_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    request_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' })),
  },
  { additionalProperties: false },
)

/** The player's keys by id: all of them, or the one that is asked for. */
async function keysOf({ pools }: AccountContext, playerId: string, id: string | undefined) {
  const keys = await listKeysOfPlayer(pools.access, playerId)
  const wanted = keys.filter(key => id === undefined || key.id === id)
  if (id !== undefined && wanted.length === 0) throw notFoundForPlayer('key')
  return new Map(wanted.map(key => [key.id, key]))
}

/** What the player's keys were used for. */
export const callRoutes = [
  playerRoute('GET', '/keys/:id/usage', takesNothing, async ({ context, session, id }) => {
    await keysOf(context, session.playerId, id)
    return context.requestLog.read((db, nowMs) => readUsageOfKey(db, id, nowMs))
  }),

  playerRoute(
    'GET',
    '/calls',
    { ...takesNothing, query: callFilter },
    async ({ context, session, query: { key_id, request_id } }) => {
      const keys = await keysOf(context, session.playerId, key_id)
      const filter = { keyIds: [...keys.keys()], requestId: request_id, limit: callsShown }
      const calls = await context.requestLog.read(db => findRequestsOfKeys(db, filter))
      return { data: calls.map(call => ({ ...call, key_name: keys.get(call.key_id)?.name ?? '' })) }
    },
  ),
]
