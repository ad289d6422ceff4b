import { accountOperations, type DemoPlayer } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { containing } from '../store/search-text.ts'
import { AccountError } from './account-error.ts'
import { writeAccountLog } from './account-log.ts'
import type { AccountContext, Definers, OpenRequest } from './context.ts'
import {
  type NationSummaryRow,
  nationSummaryColumns,
  nationSummaryJoins,
  nationSummaryOf,
} from './nation-summary.ts'
import { previewHandover, redeemHandover } from './session/handovers.ts'
import { isDemo } from './session/same-origin.ts'
import {
  endSession,
  endSessionsOf,
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

  player(accountOperations.sessionGet, async ({ session }) => sessionView(session))

  player(accountOperations.sessionEnd, async ({ session: { playerId, hash }, reply }) => {
    await access.transaction(async db => {
      if (await endSession(db, hash)) await writeAccountLog(db, { playerId, action: 'session.ended' })
    })
    reply.header('set-cookie', endedCookie(context.publicUrl()))
    return { ended: 1 }
  })

  player(accountOperations.sessionEndAll, async ({ session, reply }) => {
    const { playerId } = session
    const ended = await withActiveSession(context.pools, session, async db => {
      await writeAccountLog(db, { playerId, action: 'session.all_ended' })
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
    if (ended) await writeAccountLog(db, { ...ended, action: 'session.ended', detail: 'Signed in again' })
    await writeAccountLog(db, { playerId: found.playerId, action: 'session.started' })
    return true
  })
  const session = isStarted ? await context.findSession(hash) : undefined
  if (!session) return undefined
  reply.header('set-cookie', sessionCookie(context.publicUrl(), token))
  return sessionView({ ...session, csrfToken: csrfTokenOf(token) })
}

const demoPlayersShown = 50

/** Demo players whose nation or name contains a text, highest score first. */
async function listDemoPlayers(db: Database, search: string): Promise<DemoPlayer[]> {
  const rows = await db.rows<NationSummaryRow & { player_id: string }>(sql`
    select p.player as player_id, ${nationSummaryColumns}
    from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id ${nationSummaryJoins}
    where p.player is not null and n.search_text like ${containing(search)}
    order by n.national_score desc, n.id limit ${demoPlayersShown}`)
  return rows.flatMap(row => {
    const nation = nationSummaryOf(row)
    return nation ? [{ player_id: row.player_id, nation }] : []
  })
}

/** Whether the player leads a nation of the demo. */
async function isDemoPlayer(db: Database, playerId: string): Promise<boolean> {
  const row = await db.first(sql`
    select p.nation_id from chancery_secret.nation_private p join chancery_world.nation n on n.id = p.nation_id
    where p.player = ${playerId} limit 1`)
  return row !== undefined
}
