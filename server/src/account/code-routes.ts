import { limits, newCode } from '@chancery/contract'
import { issueCode } from '../verification/issue.ts'
import {
  type CodeOwner,
  type CodeRecord,
  cancelCode,
  listLiveCodes,
  listRedeemedCodes,
} from '../verification/store.ts'
import { AccountError, notFoundForPlayer } from './account-error.ts'
import { writeAccountLog } from './account-log.ts'
import { withLiveSession } from './change-own.ts'
import { playerRoute, takesNothing } from './route.ts'
import type { SignedIn } from './session/signed-in.ts'

const redeemedShown = 200

const codeView = ({ id, createdAt, expiresAt, boundTo }: CodeRecord) => ({
  id,
  created_at: createdAt,
  expires_at: expiresAt,
  bound_to: boundTo,
})

const noNation = () =>
  new AccountError('not_found', 'You lead no nation at present, so that there is nothing to verify.')

/** Whose codes are meant: those of the nation that is the player's now. */
function ownerOf({ playerId, nation }: SignedIn): CodeOwner {
  if (!nation) throw noNation()
  return { playerId, nationId: nation.nation_id }
}

/** Verification codes of the player's nation. */
export const codeRoutes = [
  playerRoute('GET', '/codes', takesNothing, async ({ context, session }) => {
    const owner = ownerOf(session)
    const { access } = context.pools
    const live = await listLiveCodes(access, owner)
    const redeemed = await listRedeemedCodes(access, owner, redeemedShown)
    return {
      live: live.map(codeView),
      redeemed: redeemed.map(({ id, createdAt, boundTo, redeemedAt, withKey }) => ({
        id,
        created_at: createdAt,
        redeemed_at: redeemedAt,
        bound_to: boundTo,
        with_key: withKey,
      })),
      live_max: limits.codesLivePerNation,
    }
  }),

  playerRoute(
    'POST',
    '/codes',
    { ...takesNothing, body: newCode, status: 201 },
    async ({ context, session, body }) => {
      const owner = ownerOf(session)
      const boundTo = body.for ?? null
      const issued = await withLiveSession({ context, session }, async db => {
        const made = await issueCode(db, { ...owner, boundTo })
        if (typeof made === 'string') return made
        await writeAccountLog(db, { playerId: owner.playerId, action: 'code.created', subject: made.id })
        return made
      })
      // It was lost since the session was read.
      if (issued === 'no_such_nation') throw noNation()
      if (issued === 'too_many_codes')
        throw new AccountError(
          'too_many',
          `Your nation has ${limits.codesLivePerNation} live codes: cancel one, or let one be redeemed or expire.`,
        )
      return { ...codeView(issued), code: issued.code }
    },
  ),

  playerRoute('DELETE', '/codes/:id', takesNothing, async ({ context, session, id }) => {
    const owner = ownerOf(session)
    const isCancelled = await withLiveSession({ context, session }, async db => {
      if (!(await cancelCode(db, owner, id))) return false
      await writeAccountLog(db, { playerId: owner.playerId, action: 'code.cancelled', subject: id })
      return true
    })
    if (!isCancelled) throw notFoundForPlayer('live code')
    return { id, removed: true }
  }),
]
