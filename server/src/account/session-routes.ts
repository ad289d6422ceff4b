import { demoSignIn, handoverToken } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Database } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { AccountError } from './account-error.ts'
import { writeAccountLog } from './account-log.ts'
import { withLiveSession } from './change-own.ts'
import type { AccountContext } from './context.ts'
import { isDemo } from './demo-host.ts'
import { isDemoPlayer, listDemoPlayers } from './demo-players.ts'
import { openRoute, playerRoute, takesNothing } from './route.ts'
import { endedCookie, sessionCookie } from './session/cookie.ts'
import { previewHandover, redeemHandover } from './session/handovers.ts'
import { endSession, endSessionsOf, type SignIn, startSession } from './session/sessions.ts'
import { presentedHash, sessionView } from './session/signed-in.ts'
import { csrfTokenOf, hashToken, makeToken } from './session/tokens.ts'

const noSuchPage = () => new AccountError('not_found', 'Nothing is here.')

const search = Type.Object(
  { search: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
)

/** Signing in, and out. */
export const sessionRoutes = [
  openRoute('POST', '/handover', { ...takesNothing, body: handoverToken }, async ({ context, body }) => {
    const hash = hashToken(body.token)
    const preview = hash && (await previewHandover(context.pools.access, hash))
    if (!preview) throw new AccountError('handover_invalid')
    return preview
  }),

  openRoute(
    'POST',
    '/session',
    { ...takesNothing, body: handoverToken },
    async ({ context, body, ...call }) => {
      const hash = hashToken(body.token)
      const session = hash && (await signIn(context, call, db => redeemHandover(db, hash)))
      if (!session) throw new AccountError('handover_invalid')
      return session
    },
  ),

  playerRoute('GET', '/session', takesNothing, async ({ session }) => sessionView(session)),

  playerRoute('DELETE', '/session', takesNothing, async ({ context, session, reply }) => {
    const { playerId, hash } = session
    await context.pools.access.transaction(async db => {
      if (await endSession(db, hash)) await writeAccountLog(db, { playerId, action: 'session.ended' })
    })
    reply.header('set-cookie', endedCookie(context.publicUrl()))
    return { ended: 1 }
  }),

  playerRoute('POST', '/session/end-all', takesNothing, async ({ context, session, reply }) => {
    const { playerId } = session
    const ended = await withLiveSession({ context, session }, async db => {
      await writeAccountLog(db, { playerId, action: 'session.all_ended' })
      return endSessionsOf(db, playerId)
    })
    reply.header('set-cookie', endedCookie(context.publicUrl()))
    return { ended }
  }),

  openRoute('GET', '/demo/players', { ...takesNothing, query: search }, async ({ context, query, req }) => {
    if (!isDemo(context, req)) throw noSuchPage()
    return { data: await listDemoPlayers(context.pools.access, query.search ?? '') }
  }),

  openRoute(
    'POST',
    '/demo/session',
    { ...takesNothing, body: demoSignIn },
    async ({ context, body, ...call }) => {
      if (!isDemo(context, call.req)) throw noSuchPage()
      const session = await signIn(context, call, async db => {
        const playerId = body.player_id
        await db.rows(playerLock(playerId))
        return (await isDemoPlayer(db, playerId)) ? { playerId, landing: 'verify' } : undefined
      })
      if (!session) throw new AccountError('not_found', 'No such demo player can sign in.')
      return session
    },
  ),
]

/**
 * Begins a session for whom `whom` names, and ends the one that this browser had. Whoever is signed in gets a token that nobody knew
 * before. Undefined where `whom` names nobody, or somebody who is suspended; it takes the turn of whom it names.
 */
async function signIn(
  context: AccountContext,
  { req, reply }: { req: FastifyRequest; reply: FastifyReply },
  whom: (db: Database) => Promise<SignIn | undefined>,
) {
  const token = makeToken()
  const hash = hashToken(token)
  if (!hash) throw new Error('a token that was just made has not the form of one')
  const earlier = presentedHash(context, req)
  const isStarted = await context.pools.access.transaction(async db => {
    const who = await whom(db)
    if (!who || !(await startSession(db, hash, who))) return false
    const ended = earlier && (await endSession(db, earlier))
    if (ended) await writeAccountLog(db, { ...ended, action: 'session.ended', detail: 'Signed in anew' })
    await writeAccountLog(db, { playerId: who.playerId, action: 'session.started' })
    return true
  })
  const session = isStarted ? await context.findSession(hash) : undefined
  if (!session) return undefined
  reply.header('set-cookie', sessionCookie(context.publicUrl(), token))
  return sessionView({ ...session, csrfToken: csrfTokenOf(token) })
}
