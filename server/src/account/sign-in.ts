import { accountOperations } from '@chancery/contract'
import type { Database } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { AccountError } from './account-error.ts'
import { writeAccountLog } from './account-log.ts'
import type { AccountContext, Definers, OpenRequest } from './context.ts'
import { isDemoPlayer, listDemoPlayers } from './demo-players.ts'
import { previewHandover, redeemHandover } from './session/handovers.ts'
import { isDemo } from './session/same-origin.ts'
import {
  endSession,
  endSessionsOf,
  findSessionOf,
  presentedHash,
  type SignIn,
  sessionView,
  startSession,
  withActiveSession,
} from './session/sessions.ts'
import { csrfTokenOf, endedCookie, generateToken, hashToken, sessionCookie } from './session/tokens.ts'

const noSuchPage = () => new AccountError('not_found', 'Page not found.')

/** Sign-in by handover links or as a demo player, and sign-out. */
export function signInRoutes({ open, player }: Definers, context: AccountContext): void {
  const { access } = context.pools

  open(accountOperations.handoverPreviewed, async ({ body }) => {
    const hash = hashToken(body.token)
    const preview = hash && (await previewHandover(access, hash))
    if (!preview) throw new AccountError('handover_invalid')
    return preview
  })

  open(accountOperations.sessionStart, async ({ body, ...request }) => {
    const hash = hashToken(body.token)
    const session = hash && (await signIn(context, request, db => redeemHandover(db, hash)))
    if (!session) throw new AccountError('handover_invalid')
    return session
  })

  open(accountOperations.sessionCurrent, async ({ req }) => {
    const session = await findSessionOf(context, req)
    return { session: session && !session.isSuspended ? sessionView(session) : null }
  })

  player(accountOperations.sessionGet, async ({ session }) => sessionView(session))

  player(accountOperations.sessionEnd, async ({ session: { playerId, hash }, req, reply }) => {
    await access.transaction(async db => {
      if (await endSession(db, hash)) await writeAccountLog(db, req, { playerId, action: 'session.ended' })
    })
    reply.header('set-cookie', endedCookie(context.publicUrl()))
    return { ended: 1 }
  })

  player(accountOperations.sessionEndAll, async ({ session, req, reply }) => {
    const { playerId } = session
    const ended = await withActiveSession(context.pools, session, async db => {
      await writeAccountLog(db, req, { playerId, action: 'session.all_ended' })
      return endSessionsOf(db, playerId)
    })
    reply.header('set-cookie', endedCookie(context.publicUrl()))
    return { ended }
  })

  open(accountOperations.demoPlayersList, async ({ query: { search = '' }, req }) => {
    if (!isDemo(context, req)) throw noSuchPage()
    return { data: await listDemoPlayers(access, search) }
  })

  open(accountOperations.demoSessionStart, async ({ body: { player_id: playerId }, ...request }) => {
    if (!isDemo(context, request.req)) throw noSuchPage()
    const session = await signIn(context, request, async db => {
      await db.rows(playerLock(playerId))
      return (await isDemoPlayer(db, playerId)) ? { playerId, landing: 'verify' } : undefined
    })
    if (!session) throw new AccountError('not_found', 'No such demo player can sign in.')
    return session
  })
}

/**
 * Starts a session with a new token, which prevents session fixation, and ends the browser's earlier one. `find` selects the player and
 * takes the player's lock; undefined where it finds none, or the player is suspended.
 */
async function signIn(
  context: AccountContext,
  { req, reply }: OpenRequest,
  find: (db: Database) => Promise<SignIn | undefined>,
) {
  const token = generateToken()
  const hash = hashToken(token)
  if (!hash) throw new Error('a generated token is malformed')
  const earlier = presentedHash(context, req)
  const isStarted = await context.pools.access.transaction(async db => {
    const found = await find(db)
    if (!found || !(await startSession(db, hash, found))) return false
    const ended = earlier && (await endSession(db, earlier))
    if (ended)
      await writeAccountLog(db, req, { ...ended, action: 'session.ended', detail: 'Signed in again' })
    await writeAccountLog(db, req, { playerId: found.playerId, action: 'session.started' })
    return true
  })
  const session = isStarted ? await context.findSession(hash) : undefined
  if (!session) return undefined
  reply.header('set-cookie', sessionCookie(context.publicUrl(), token))
  return sessionView({ ...session, csrfToken: csrfTokenOf(token) })
}
