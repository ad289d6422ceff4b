import { defaultScopes, keyRotation, limitRequest, limits, newKey } from '@chancery/contract'
import { saveLimitRequest } from '../access/limit-requests.ts'
import { createPlayerKey, rotatePlayerKey } from '../access/player-keys.ts'
import { findLiveKeyOfPlayer, revokeKeyOfPlayer, revokeKeysBeyond } from '../access/store.ts'
import type { Database } from '../store/database.ts'
import { AccountError, notFoundForPlayer } from './account-error.ts'
import { type AccountLogLine, writeAccountLog } from './account-log.ts'
import { withLiveSession } from './change-own.ts'
import { type PlayerCall, playerRoute, takesNothing } from './route.ts'
import { keyView, listKeyViews } from './shown-key.ts'

const tooManyKeys = () =>
  new AccountError(
    'too_many',
    `You have ${limits.keysPerPlayer} keys, as many as there may be: revoke one first.`,
  )

/** Runs a change of the player's keys; whoever is told of it finds it done in this process. */
async function change<T>(
  call: Pick<PlayerCall<unknown, unknown>, 'context' | 'session'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const outcome = await withLiveSession(call, work)
  await call.context.pulse.refresh()
  return outcome
}

/** Keys of the player. */
export const keyRoutes = [
  playerRoute('GET', '/keys', takesNothing, async ({ context, session }) => ({
    data: await listKeyViews(context, session.playerId),
  })),

  playerRoute(
    'POST',
    '/keys',
    { ...takesNothing, body: newKey, status: 201 },
    async ({ context, session, body: { name, scopes, expires_at: expiresAt } }) => {
      const { playerId } = session
      if (expiresAt !== null && !(Date.parse(expiresAt) > context.pulse.now()))
        throw new AccountError('invalid_request', 'A key must expire in the future, or never.')
      const made = await change({ context, session }, async db => {
        const key = await createPlayerKey(db, { playerId, name, scopes, expiresAt, callLimit: null })
        if (key === 'too_many_keys') return key
        await writeAccountLog(db, lineOf('key.created', playerId, key.record))
        return key
      })
      if (made === 'too_many_keys') throw tooManyKeys()
      return { ...(await keyView(context, made.record)), key: made.text }
    },
  ),

  playerRoute(
    'POST',
    '/keys/:id/rotate',
    { ...takesNothing, body: keyRotation, status: 201 },
    async ({ context, session, id, body: { overlap_hours: hours } }) => {
      const { playerId } = session
      const made = await change({ context, session }, async db => {
        const key = await rotatePlayerKey(db, playerId, id, {
          overlapHours: hours,
          nowMs: context.pulse.now(),
        })
        if (key === undefined || key === 'too_many_keys') return key
        const detail = `${key.record.name}: by ${key.record.id}, the old one ${hours === 0 ? 'revoked' : `works for ${hours} h`}`
        await writeAccountLog(db, { playerId, action: 'key.rotated', subject: id, detail })
        return key
      })
      if (made === undefined) throw notFoundForPlayer('live key')
      if (made === 'too_many_keys') throw tooManyKeys()
      return { ...(await keyView(context, made.record)), key: made.text }
    },
  ),

  playerRoute('POST', '/keys/:id/revoke', takesNothing, async ({ context, session, id }) => {
    const { playerId } = session
    const revoked = await change({ context, session }, async db => {
      const key = await revokeKeyOfPlayer(db, playerId, id)
      if (key) await writeAccountLog(db, lineOf('key.revoked', playerId, key))
      return key
    })
    if (!revoked) throw notFoundForPlayer('key')
    return keyView(context, revoked)
  }),

  playerRoute('POST', '/keys/revoke-private', takesNothing, async ({ context, session }) => {
    const { playerId } = session
    const revoked = await change({ context, session }, async db => {
      const keys = await revokeKeysBeyond(db, playerId, defaultScopes)
      const detail = keys.map(({ name, id }) => `${name} (${id})`).join(', ')
      await writeAccountLog(db, {
        playerId,
        action: 'key.private_revoked',
        detail: detail || 'There were none',
      })
      return keys
    })
    return { revoked: revoked.length }
  }),

  playerRoute(
    'POST',
    '/keys/:id/limit-request',
    { ...takesNothing, body: limitRequest },
    async ({ context, session, id, body: { calls_per_minute: callsPerMinute, sentence } }) => {
      const { playerId } = session
      const asked = await withLiveSession({ context, session }, async db => {
        const key = await findLiveKeyOfPlayer(db, playerId, id)
        if (!key || (key.callLimit ?? context.keyLimit) >= callsPerMinute) return key
        await saveLimitRequest(db, id, { callsPerMinute, sentence })
        const detail = `${key.name}: ${callsPerMinute} calls a minute`
        await writeAccountLog(db, { playerId, action: 'key.limit_asked', subject: id, detail })
        return key
      })
      if (!asked) throw notFoundForPlayer('live key')
      if ((asked.callLimit ?? context.keyLimit) >= callsPerMinute)
        throw new AccountError('invalid_request', 'The key has this limit already: ask for a higher one.')
      return keyView(context, asked)
    },
  ),
]

const lineOf = (
  action: 'key.created' | 'key.revoked',
  playerId: string,
  { id, name, scopes }: { id: string; name: string; scopes: ReadonlySet<string> },
): AccountLogLine => ({ playerId, action, subject: id, detail: `${name}: ${[...scopes].join(', ')}` })
