import { operatorOperations } from '@chancery/contract'
import { resumePlayer, suspendPlayer } from '../access/suspensions.ts'
import { notFound } from '../http/api-error.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { OperatorError } from './operator-error.ts'

const idForm = /^[A-Za-z0-9_-]{1,64}$/

/** Players who may not use the API for a while. */
export function playerRoutes(define: DefineOperatorRoute, { pools, pulse, webhooks }: OperatorContext): void {
  define(operatorOperations.playersSuspend, async ({ id: player_id, body: { note = null } }) => {
    // A player need not be known to be kept away, but be such as a game can name.
    if (!idForm.test(player_id))
      throw new OperatorError('bad_request', 'The id of a player is 1 to 64 of A-Z a-z 0-9 _ and -.')
    const { suspendedAt } = await suspendPlayer(pools.access, player_id, note)
    const webhooks_disabled = await webhooks.disableAllOf(player_id, 'player_suspended')
    await pulse.refresh()
    return { body: { player_id, suspended_at: suspendedAt, note, webhooks_disabled } }
  })

  define(operatorOperations.playersResume, async ({ id: player_id }) => {
    if (!(await resumePlayer(pools.access, player_id))) throw notFound('suspension of this player')
    await pulse.refresh()
    return { body: { player_id, suspended_at: null } }
  })
}
