import { defaultScopes, operatorOperations } from '@chancery/contract'
import {
  type LimitRequest,
  limitRequestsOf,
  listLimitRequests,
  resolveLimitRequest,
} from '../access/limit-increase-requests.ts'
import { createKey } from '../access/player-keys.ts'
import { findKey, type KeyRecord, listKeys, revokeKey, setKeyLimit } from '../access/store.ts'
import { notFound } from '../http/http-error.ts'
import { findRequestsOfKeys } from '../request-log/queries.ts'
import { playerLock } from '../store/locks.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { assertOwnerUnchanged, findPlayer, findPlayerOfQuery } from './players.ts'
import { futureTime } from './tokens.ts'

/** The owner's pending request for a higher limit. */
function limitRequestView(request: LimitRequest | undefined) {
  if (request === undefined || request.answered_at !== null) return null
  const { calls_per_minute, sentence, asked_at } = request
  return { calls_per_minute, sentence, asked_at }
}

const keyView = (key: KeyRecord, limitRequest?: LimitRequest) => ({
  id: key.id,
  player_id: key.playerId,
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  limit: key.callLimit,
  limit_note: key.callLimitNote,
  limit_request: limitRequestView(limitRequest),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
})

/** API keys of players. */
export function keyRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  const { pools, pulse, requestLog } = context

  define(operatorOperations.keysCreate, async ({ body }) => {
    const { nation_id, player_id, name, scopes = defaultScopes, expires_at = null, limit = null } = body
    const wanted = {
      playerId: await findPlayer(context, { nation_id, player_id }),
      name,
      scopes: [...new Set(scopes)],
      expiresAt: expires_at === null ? null : futureTime(expires_at, pulse.now()),
      callLimit: limit,
    }
    const { text: key, record } = await pools.access.transaction(async db => {
      await db.rows(playerLock(wanted.playerId))
      await assertOwnerUnchanged(wanted.playerId, context, { nation_id, player_id })
      return createKey(db, wanted)
    })
    const { id: keyId, ...rest } = keyView(record)
    return { subject: keyId, body: { id: keyId, key, ...rest } }
  })

  define(operatorOperations.keysList, async ({ query }) => {
    const playerId = await findPlayerOfQuery(context, query)
    const keys = await listKeys(pools.access, { playerId })
    const limitRequests = await limitRequestsOf(
      pools.access,
      keys.map(key => key.id),
    )
    return { body: { data: keys.map(key => keyView(key, limitRequests.get(key.id))) } }
  })

  define(operatorOperations.keysRevoke, async ({ id }) => ({
    body: await changed(await pools.access.transaction(db => revokeKey(db, id))),
  }))

  define(operatorOperations.keysSetLimit, async ({ id, body: { limit, note = null } }) => {
    const key = await pools.access.transaction(async db => {
      await resolveLimitRequest(db, id, note)
      return setKeyLimit(db, id, limit, note)
    })
    return { body: await changed(key) }
  })

  define(operatorOperations.keysRequests, async ({ id, query: { limit = 100 } }) => {
    const key = await findKey(pools.access, id)
    if (!key) throw notFound('key')
    const found = await requestLog.read(db => findRequestsOfKeys(db, { keyIds: [id], limit }))
    const data = found.map(each => ({
      ...each,
      key_name: key.name,
      player_id: key.playerId,
      address: null,
    }))
    return { body: { data } }
  })

  define(operatorOperations.limitRequestsList, async () => ({
    body: { data: await listLimitRequests(pools.access) },
  }))

  define(operatorOperations.limitRequestsApprove, async ({ id, body: { limit, note = null } }) => {
    const key = await pools.access.transaction(async db => {
      const requested = await resolveLimitRequest(db, id, note)
      return requested === undefined ? undefined : setKeyLimit(db, id, limit ?? requested, note)
    })
    if (!key) throw notFound('pending request of this key')
    await pulse.refresh()
    return { body: { key_id: id, limit: key.callLimit, note } }
  })

  define(operatorOperations.limitRequestsDecline, async ({ id, body: { note = null } }) => {
    if ((await resolveLimitRequest(pools.access, id, note)) === undefined)
      throw notFound('pending request of this key')
    const key = await findKey(pools.access, id)
    return { body: { key_id: id, limit: key?.callLimit ?? null, note } }
  })

  /** Returns the changed key once this process applies the change. */
  async function changed(key: KeyRecord | undefined) {
    if (!key) throw notFound('key')
    await pulse.refresh()
    return keyView(key, (await limitRequestsOf(pools.access, [key.id])).get(key.id))
  }
}
