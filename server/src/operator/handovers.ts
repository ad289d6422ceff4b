import { landings } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { makeHandover } from '../account/session/handovers.ts'
import { ApiError } from '../http/api-error.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'
import { playerMembers, playerOf } from './players.ts'

const readRequest = bodyReader(
  Type.Object(
    { ...playerMembers, landing: Type.Optional(Type.Enum(landings)) },
    { additionalProperties: false },
  ),
)

/** Hand-over links: how a player comes from the game into the developer settings without a password. */
export function handoverRoutes(app: FastifyInstance, context: OperatorContext): void {
  app.post('/handovers', async (req, reply) => {
    const { landing = 'verify', ...named } = readRequest(req.body)
    const made = await makeHandover(context.pools.access, {
      playerId: await playerOf(context, named),
      landing,
    })
    if (!made) throw new ApiError('bad_request', 'This player is suspended, and cannot sign in.')
    // The token is in the fragment, which browsers send to nobody: it reaches no log of a server or proxy, and no Referer.
    const url = `${context.publicUrl()}/developers/#handover=${made.token}`
    return reply.code(201).send({ url, expires_at: made.expiresAt })
  })
}
