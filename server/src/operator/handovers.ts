import { operatorOperations } from '@chancery/contract'
import { createHandover } from '../account/session/handovers.ts'
import { playerLock } from '../store/locks.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { OperatorError } from './operator-error.ts'
import { assertOwnerUnchanged, findPlayer } from './player-of.ts'

/** Hand-over links: how a player comes from the game into the developer settings without a password. */
export function handoverRoutes(define: DefineOperatorRoute, context: OperatorContext): void {
  define(operatorOperations.handoversCreate, async ({ body: { landing = 'verify', ...named } }) => {
    const playerId = await findPlayer(context, named)
    const made = await context.pools.access.transaction(async db => {
      await db.rows(playerLock(playerId))
      await assertOwnerUnchanged(playerId, context, named)
      return createHandover(db, { playerId, landing })
    })
    if (!made) throw new OperatorError('bad_request', 'This player is suspended, and cannot sign in.')
    // The token is in the fragment, which browsers send to nobody: it reaches no log of a server or proxy, and no Referer.
    const url = `${context.publicUrl()}/developers/#handover=${made.token}`
    return { subject: playerId, body: { url, expires_at: made.expiresAt } }
  })
}
