import type { Handlers } from '../http/define-operation.ts'
import { ApiError } from '../http/http-error.ts'
import { findNationReferenceOfPlayer } from '../resources/nations/store.ts'
import type { ReadContext } from '../store/fact-columns.ts'

/** The key of the request. */
export const keyHandlers = (context: ReadContext): Pick<Handlers, 'meKey'> => ({
  async meKey({ viewer, rateLimit, disclose }) {
    if (viewer.kind !== 'key') throw new ApiError('api_key_required')
    const { key } = viewer
    return {
      item: disclose.toPublic('key', {
        id: key.id,
        name: key.name,
        nation: (await findNationReferenceOfPlayer(context, key.playerId)) ?? null,
        scopes: [...key.scopes],
        limit: rateLimit.limit,
        remaining: rateLimit.remaining,
        created_at: key.createdAt,
        expires_at: key.expiresAt,
        last_used_at: key.lastUsedAt,
      }),
    }
  },
})
