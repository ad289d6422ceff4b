import { operations } from '@chancery/contract'
import { privateFieldsFor } from '../../disclosure/disclosure.ts'
import type { DefineOperation } from '../../http/define-operation.ts'
import { ApiError } from '../../http/http-error.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { createFindNationOfPlayer } from './store.ts'

/** The nation of the key's player: whose it is now is read on every call. */
export function ownNationRoutes(define: DefineOperation, context: ReadContext): void {
  const findNationOfPlayer = createFindNationOfPlayer(context)
  define(operations.meNation, async ({ viewer, disclose }) => {
    if (viewer.kind !== 'key') throw new ApiError('api_key_required')
    const clearance = { scopes: viewer.key.scopes, isOwner: true, maySeeTreasury: false }
    const opened = privateFieldsFor(context.contract.resources.nation, clearance)
    const nation = await findNationOfPlayer(viewer.key.playerId, opened)
    if (!nation) throw new ApiError('not_found', 'The player of this key leads no nation at present.')
    return { item: disclose.toViewer('nation', nation, clearance) }
  })
}
