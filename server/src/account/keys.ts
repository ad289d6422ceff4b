import { type AccountKey, accountOperations, defaultScopes, limits } from '@chancery/contract'
import { limitRequestsOf, saveLimitRequest } from '../access/limit-increase-requests.ts'
import { createPlayerKey, rotatePlayerKey } from '../access/player-keys.ts'
import {
  findActiveKeyOfPlayer,
  findPrefixes,
  type KeyRecord,
  listKeysOfPlayer,
  revokeKeyOfPlayer,
  revokeKeysBeyond,
} from '../access/store.ts'
import { countRequestsToday, findRequestsOfKeys, readUsageOfKey } from '../request-log/queries.ts'
import type { Database } from '../store/database.ts'
import { AccountError, notFoundForPlayer } from './account-error.ts'
import { type AccountLogLine, writeAccountLog } from './account-log.ts'
import type { AccountContext, Definers } from './context.ts'
import { type Session, withActiveSession } from './session/sessions.ts'

const requestsShown = 200

/** API keys of the player and their usage. */
export function keyRoutes({ player }: Definers, context: AccountContext): void {
  const { pools, pulse, requestLog, keyLimit } = context

  player(accountOperations.keysList, async ({ session: { playerId } }) => ({
    data: await keyViews(context, await listKeysOfPlayer(pools.access, playerId)),
  }))

  player(accountOperations.keysCreate, async ({ session, body, req }) => {
    const { playerId } = session
    const { name, scopes, expires_at: expiresAt } = body
    if (expiresAt !== null && !(Date.parse(expiresAt) > pulse.now()))
      throw new AccountError('invalid_request', 'expires_at must be a time in the future, or null for never.')
    const created = await change(session, async db => {
      const key = await createPlayerKey(db, { playerId, name, scopes, expiresAt, callLimit: null })
      if (key === 'too_many_keys') return key
      await writeAccountLog(db, req, logLine('key.created', playerId, key.record))
      return key
    })
    if (created === 'too_many_keys') throw tooManyKeys()
    return { ...(await keyView(context, created.record)), key: created.text }
  })

  player(accountOperations.keysRotate, async ({ session, id, body, req }) => {
    const { playerId } = session
    const { overlap_hours: overlapHours } = body
    const created = await change(session, async db => {
      const key = await rotatePlayerKey(db, playerId, id, { overlapHours, nowMs: pulse.now() })
      if (key === undefined || key === 'too_many_keys') return key
      const detail = `${key.record.name}: replaced by ${key.record.id}, ${overlapHours === 0 ? 'revoked' : `expires in ${overlapHours} h`}`
      await writeAccountLog(db, req, { playerId, action: 'key.rotated', subject: id, detail })
      return key
    })
    if (created === undefined) throw notFoundForPlayer('active key')
    if (created === 'too_many_keys') throw tooManyKeys()
    return { ...(await keyView(context, created.record)), key: created.text }
  })

  player(accountOperations.keysRevoke, async ({ session, id, req }) => {
    const { playerId } = session
    const revoked = await change(session, async db => {
      const key = await revokeKeyOfPlayer(db, playerId, id)
      if (key) await writeAccountLog(db, req, logLine('key.revoked', playerId, key))
      return key
    })
    if (!revoked) throw notFoundForPlayer('key')
    return keyView(context, revoked)
  })

  player(accountOperations.keysRevokePrivate, async ({ session, req }) => {
    const { playerId } = session
    const revoked = await change(session, async db => {
      const keys = await revokeKeysBeyond(db, playerId, defaultScopes)
      const detail = keys.map(({ name, id }) => `${name} (${id})`).join(', ') || 'There were none'
      await writeAccountLog(db, req, { playerId, action: 'key.private_revoked', detail })
      return keys
    })
    return { revoked: revoked.length }
  })

  player(accountOperations.keysRequestLimit, async ({ session, id, body, req }) => {
    const { playerId } = session
    const hasLimit = (key: KeyRecord) => (key.callLimit ?? keyLimit) >= body.calls_per_minute
    const found = await withActiveSession(pools, session, async db => {
      const key = await findActiveKeyOfPlayer(db, playerId, id)
      if (!key || hasLimit(key)) return key
      await saveLimitRequest(db, id, body)
      const detail = `${key.name}: ${body.calls_per_minute} requests per minute`
      await writeAccountLog(db, req, { playerId, action: 'key.limit_asked', subject: id, detail })
      return key
    })
    if (!found) throw notFoundForPlayer('active key')
    if (hasLimit(found))
      throw new AccountError(
        'invalid_request',
        'The key already has this limit. calls_per_minute must be higher.',
      )
    return keyView(context, found)
  })

  player(accountOperations.keysUsage, async ({ session, id }) => {
    await findKeys(session, id)
    return requestLog.read((db, nowMs) => readUsageOfKey(db, id, nowMs))
  })

  player(accountOperations.callsList, async ({ session, query: { key_id, request_id: requestId } }) => {
    const keys = await findKeys(session, key_id)
    const filter = { keyIds: [...keys.keys()], requestId, limit: requestsShown }
    const requests = await requestLog.read(db => findRequestsOfKeys(db, filter))
    return { data: requests.map(each => ({ ...each, key_name: keys.get(each.key_id)?.name ?? '' })) }
  })

  /** Runs a change of keys, and returns once this process applies it. */
  async function change<T>(session: Session, work: (db: Database) => Promise<T>): Promise<T> {
    const result = await withActiveSession(pools, session, work)
    await pulse.refresh()
    return result
  }

  /** The player's keys by id: all of them, or the one with this id. */
  async function findKeys({ playerId }: Session, id: string | undefined): Promise<Map<string, KeyRecord>> {
    const keys = await listKeysOfPlayer(pools.access, playerId)
    const found = keys.filter(key => id === undefined || key.id === id)
    if (id !== undefined && found.length === 0) throw notFoundForPlayer('key')
    return new Map(found.map(key => [key.id, key]))
  }
}

const tooManyKeys = () =>
  new AccountError('too_many', `The limit of ${limits.keysPerPlayer} keys is reached. Revoke one first.`)

async function keyViews(
  { pools, requestLog, keyLimit }: AccountContext,
  keys: KeyRecord[],
): Promise<AccountKey[]> {
  const ids = keys.map(({ id }) => id)
  const limitRequests = await limitRequestsOf(pools.access, ids)
  const requests = await requestLog.read((db, nowMs) => countRequestsToday(db, ids, nowMs))
  const successors = keys.flatMap(({ replacedBy }) => replacedBy ?? [])
  const prefixes = await findPrefixes(pools.access, successors)
  const viewOfSuccessor = (id: string) => ({ id, prefix: prefixes.get(id) ?? null })
  return keys.map(key => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: [...key.scopes],
    limit: key.callLimit ?? keyLimit,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
    calls_today: requests.get(key.id) ?? 0,
    limit_request: limitRequests.get(key.id) ?? null,
    replaced_by: key.replacedBy === null ? null : viewOfSuccessor(key.replacedBy),
  }))
}

async function keyView(context: AccountContext, key: KeyRecord): Promise<AccountKey> {
  const [view] = await keyViews(context, [key])
  if (!view) throw new Error('a key has no view')
  return view
}

const logLine = (
  action: 'key.created' | 'key.revoked',
  playerId: string,
  { id, name, scopes }: { id: string; name: string; scopes: ReadonlySet<string> },
): AccountLogLine => ({ playerId, action, subject: id, detail: `${name}: ${[...scopes].join(', ')}` })
