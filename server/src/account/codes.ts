import { accountOperations, limits } from '@chancery/contract'
import {
  type CodeOwner,
  type CodeRecord,
  cancelCode,
  issueCode,
  listActiveCodes,
  listRedeemedCodes,
} from '../verification/store.ts'
import { AccountError, notFoundForPlayer } from './account-error.ts'
import { writeAccountLog } from './account-log.ts'
import type { AccountContext, Definers } from './context.ts'
import { type Session, withActiveSession } from './session/sessions.ts'

const redeemedShown = 200

const codeView = ({ id, createdAt, expiresAt, boundTo }: CodeRecord) => ({
  id,
  created_at: createdAt,
  expires_at: expiresAt,
  bound_to: boundTo,
})

const noNation = () => new AccountError('not_found', 'You lead no nation, so there is nothing to verify.')

/** The owner of the codes: the player with the nation they lead now. */
function ownerOf({ playerId, nation }: Session): CodeOwner {
  if (!nation) throw noNation()
  return { playerId, nationId: nation.nation_id }
}

/** Verification codes of the player's nation. */
export function codeRoutes({ player }: Definers, { pools }: AccountContext): void {
  player(accountOperations.codesList, async ({ session }) => {
    const owner = ownerOf(session)
    const active = await listActiveCodes(pools.access, owner)
    const redeemed = await listRedeemedCodes(pools.access, owner, redeemedShown)
    return {
      live: active.map(codeView),
      redeemed: redeemed.map(({ id, createdAt, boundTo, redeemedAt, withKey }) => ({
        id,
        created_at: createdAt,
        redeemed_at: redeemedAt,
        bound_to: boundTo,
        with_key: withKey,
      })),
      live_max: limits.codesActivePerNation,
    }
  })

  player(accountOperations.codesIssue, async ({ session, body, req }) => {
    const owner = ownerOf(session)
    const issued = await withActiveSession(pools, session, async db => {
      const created = await issueCode(db, { ...owner, boundTo: body.for ?? null })
      if (typeof created === 'string') return created
      await writeAccountLog(db, req, {
        playerId: owner.playerId,
        action: 'code.created',
        subject: created.id,
      })
      return created
    })
    // The player lost the nation since the session was read.
    if (issued === 'no_such_nation') throw noNation()
    if (issued === 'too_many_codes')
      throw new AccountError(
        'too_many',
        `Your nation has ${limits.codesActivePerNation} active codes. Cancel one, or wait until one is redeemed or expires.`,
      )
    return { ...codeView(issued), code: issued.code }
  })

  player(accountOperations.codesCancel, async ({ session, id, req }) => {
    const owner = ownerOf(session)
    const isCancelled = await withActiveSession(pools, session, async db => {
      if (!(await cancelCode(db, owner, id))) return false
      await writeAccountLog(db, req, { playerId: owner.playerId, action: 'code.cancelled', subject: id })
      return true
    })
    if (!isCancelled) throw notFoundForPlayer('active code')
    return { id, removed: true as const }
  })
}
