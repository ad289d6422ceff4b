import type { Database } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { AccountError } from './account-error.ts'
import type { PlayerCall } from './route.ts'
import { isSessionActive } from './session/sessions.ts'

/**
 * Runs a change of what is the player's, in a transaction. They may have been forgotten since the session was read: whoever forgets
 * them does so before it, and then there is no session, or after it.
 * @throws {AccountError} where the session has ended.
 */
export const withLiveSession = <T>(
  {
    context: { pools },
    session: { playerId, hash },
  }: Pick<PlayerCall<unknown, unknown>, 'context' | 'session'>,
  work: (db: Database) => Promise<T>,
): Promise<T> =>
  pools.access.transaction(async db => {
    await db.rows(playerLock(playerId))
    if (!(await isSessionActive(db, hash))) throw new AccountError('session_required')
    return work(db)
  })
