import { operatorOperations } from '@chancery/contract'
import { resumePlayer, suspendPlayer } from '../access/suspensions.ts'
import { notFound } from '../http/api-error.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

/** Players who may not use the API for a while. */
export function playerRoutes(define: DefineOperatorRoute, { pools, pulse, webhooks }: OperatorContext): void {
  define(operatorOperations.playersSuspend, async ({ id: player_id, body: { note = null } }) => {
    const { suspendedAt } = await suspendPlayer(pools.access, player_id, note)
    const webhooks_disabled = await webhooks.stopAllOf(player_id, 'player_suspended')
    await pulse.refresh()
    return { body: { player_id, suspended_at: suspendedAt, note, webhooks_disabled } }
  })

  define(operatorOperations.playersResume, async ({ id: player_id }) => {
    if (!(await resumePlayer(pools.access, player_id))) throw notFound('suspension of this player')
    await pulse.refresh()
    return { body: { player_id, suspended_at: null } }
  })
}
