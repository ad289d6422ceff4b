import { limits, operatorOperations } from '@chancery/contract'
import { createHandover } from '../account/session/handovers.ts'
import { notFound } from '../http/http-error.ts'
import { playerLock } from '../store/locks.ts'
import { issueCode } from '../verification/store.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'
import { assertOwnerUnchanged, findPlayer } from './players.ts'

/** Verification codes. */
export function codeRoutes(define: DefineOperatorOperation, { pools }: Pick<OperatorContext, 'pools'>): void {
  define(operatorOperations.codesIssue, async ({ body: { nation_id, for: account } }) => {
    const wanted = { nationId: nation_id, boundTo: account ?? null }
    const issued = await pools.access.transaction(db => issueCode(db, wanted))
    if (issued === 'no_such_nation') throw notFound('nation')
    if (issued === 'too_many_codes') {
      throw new OperatorError(
        'bad_request',
        `This nation has ${limits.codesActivePerNation} active codes: wait until one is redeemed or expires.`,
      )
    }
    const { code, expiresAt } = issued
    return { subject: nation_id, body: { code, expires_at: expiresAt } }
  })
}

/** Handover links, which sign a player in to the developer settings without a password. */
export function handoverRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  define(operatorOperations.handoversCreate, async ({ body: { landing = 'verify', ...selector } }) => {
    const playerId = await findPlayer(context, selector)
    const made = await context.pools.access.transaction(async db => {
      await db.rows(playerLock(playerId))
      await assertOwnerUnchanged(playerId, context, selector)
      return createHandover(db, { playerId, landing })
    })
    if (!made) throw new OperatorError('bad_request', 'This player is suspended, and cannot sign in.')
    // In the fragment, which browsers do not send: the token reaches no server log, proxy log or Referer.
    const url = `${context.publicUrl()}/developers/#handover=${made.token}`
    return { subject: playerId, body: { url, expires_at: made.expiresAt } }
  })
}
