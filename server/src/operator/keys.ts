import { defaultScopes, scopeNames } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { hashKey, makeKeyText } from '../access/key-text.ts'
import { insertKey, type KeyRecord, listKeys, revokeKey, setKeyLimit } from '../access/store.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'
import { playerMembers, playerOf, playerOfQuery } from './players.ts'

const callLimit = () => Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Null()])

const readNewKey = bodyReader(
  Type.Object(
    {
      ...playerMembers,
      name: Type.String({ minLength: 1, maxLength: 100 }),
      scopes: Type.Optional(Type.Array(Type.Enum(scopeNames), { maxItems: 20 })),
      expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
      limit: Type.Optional(callLimit()),
    },
    { additionalProperties: false },
  ),
)
const readLimit = bodyReader(
  Type.Object(
    { limit: callLimit(), note: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()])) },
    { additionalProperties: false },
  ),
)

const shown = (key: KeyRecord) => ({
  id: key.id,
  player_id: key.playerId,
  name: key.name,
  scopes: [...key.scopes],
  limit: key.callLimit,
  limit_note: key.callLimitNote,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
})

/** Keys of players, for the operator. */
export function keyRoutes(app: FastifyInstance, context: OperatorContext): void {
  const { pools, pulse } = context

  app.post('/keys', async (req, reply) => {
    const {
      nation_id,
      player_id,
      name,
      scopes = defaultScopes,
      expires_at = null,
      limit = null,
    } = readNewKey(req.body)
    const playerId = await playerOf(context, { nation_id, player_id })
    if (expires_at !== null && !(Date.parse(expires_at) > Date.now())) {
      throw new ApiError('bad_request', 'expires_at must be in the future.')
    }
    const key = makeKeyText()
    const record = await insertKey(pools.access, hashKey(key), {
      playerId,
      name,
      scopes: [...new Set(scopes)],
      expiresAt: expires_at,
      callLimit: limit,
    })
    const { id: keyId, ...rest } = shown(record)
    return reply.code(201).send({ id: keyId, key, ...rest })
  })

  app.get<{ Querystring: { player_id?: string; nation_id?: string } }>('/keys', async req => {
    const playerId = await playerOfQuery(context, req.query)
    return { data: (await listKeys(pools.access, { playerId })).map(shown) }
  })

  app.post<{ Params: { id: string } }>('/keys/:id/revoke', async req =>
    changed(await revokeKey(pools.access, req.params.id)),
  )

  app.put<{ Params: { id: string } }>('/keys/:id/limit', async req => {
    const { limit, note = null } = readLimit(req.body)
    return changed(await setKeyLimit(pools.access, req.params.id, limit, note))
  })

  /** Whoever is told that a key has changed finds it changed in this process. */
  async function changed(key: KeyRecord | undefined) {
    if (!key) throw notFound('key')
    await pulse.refresh()
    return shown(key)
  }
}
