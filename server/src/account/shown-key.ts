import type { AccountKey } from '@chancery/contract'
import { type LimitRequestRecord, limitRequestsOf } from '../access/limit-requests.ts'
import { type KeyRecord, listKeysOfPlayer } from '../access/store.ts'
import { countRequestsToday } from '../journal/queries.ts'
import type { AccountContext } from './context.ts'

/** Keys as their player is shown them. */
async function keyViews(
  { pools, requestLog, keyLimit }: AccountContext,
  keys: KeyRecord[],
): Promise<AccountKey[]> {
  const ids = keys.map(({ id }) => id)
  const wishes = await limitRequestsOf(pools.access, ids)
  const calls = await requestLog.read((db, nowMs) => countRequestsToday(db, ids, nowMs))
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
    calls_today: calls.get(key.id) ?? 0,
    limit_request: limitRequestView(wishes.get(key.id)),
  }))
}

const limitRequestView = (wish: LimitRequestRecord | undefined): AccountKey['limit_request'] =>
  wish === undefined
    ? null
    : {
        calls_per_minute: wish.callsPerMinute,
        sentence: wish.sentence,
        asked_at: wish.askedAt,
        answered_at: wish.answeredAt,
        note: wish.note,
      }

export async function keyView(context: AccountContext, key: KeyRecord): Promise<AccountKey> {
  const [shown] = await keyViews(context, [key])
  if (!shown) throw new Error('a key is shown as none')
  return shown
}

/** The keys of a player: those that are live first, then the latest of the others. */
export const listKeyViews = async (context: AccountContext, playerId: string): Promise<AccountKey[]> =>
  keyViews(context, await listKeysOfPlayer(context.pools.access, playerId))
