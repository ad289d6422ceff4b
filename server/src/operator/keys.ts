import { defaultScopes, scopeNames } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { answerLimitRequest, type LimitRequestRecord, limitRequestsOf } from '../access/limit-requests.ts'
import { makeKey } from '../access/player-keys.ts'
import { type KeyRecord, listKeys, revokeKey, setKeyLimit } from '../access/store.ts'
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

/** The owner's wish for a higher limit, as long as nobody has answered it. */
const shownWish = (wish: LimitRequestRecord | undefined) =>
  wish === undefined || wish.answeredAt !== null
    ? null
    : { calls_per_minute: wish.callsPerMinute, sentence: wish.sentence, asked_at: wish.askedAt }

const shown = (key: KeyRecord, wish?: LimitRequestRecord) => ({
  id: key.id,
  player_id: key.playerId,
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  limit: key.callLimit,
  limit_note: key.callLimitNote,
  limit_request: shownWish(wish),
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
    const expiresMs = expires_at === null ? null : Date.parse(expires_at)
    if (expiresMs !== null && !(expiresMs > Date.now())) {
      throw new ApiError('bad_request', 'expires_at must be a time in the future, like 2027-01-01T00:00:00Z.')
    }
    const { text: key, record } = await makeKey(pools.access, {
      playerId,
      name,
      scopes: [...new Set(scopes)],
      // In UTC: PostgreSQL knows no offset beyond 16 hours.
      expiresAt: expiresMs === null ? null : new Date(expiresMs).toISOString(),
      callLimit: limit,
    })
    const { id: keyId, ...rest } = shown(record)
    return reply.code(201).send({ id: keyId, key, ...rest })
  })

  app.get<{ Querystring: { player_id?: string; nation_id?: string } }>('/keys', async req => {
    const playerId = await playerOfQuery(context, req.query)
    const keys = await listKeys(pools.access, { playerId })
    const wishes = await limitRequestsOf(
      pools.access,
      keys.map(key => key.id),
    )
    return { data: keys.map(key => shown(key, wishes.get(key.id))) }
  })

  app.post<{ Params: { id: string } }>('/keys/:id/revoke', async req =>
    changed(await pools.access.transaction(db => revokeKey(db, req.params.id))),
  )

  app.put<{ Params: { id: string } }>('/keys/:id/limit', async req => {
    const { limit, note = null } = readLimit(req.body)
    const key = await pools.access.transaction(async db => {
      await answerLimitRequest(db, req.params.id, note)
      return setKeyLimit(db, req.params.id, limit, note)
    })
    return changed(key)
  })

  /** Whoever is told that a key has changed finds it changed in this process. */
  async function changed(key: KeyRecord | undefined) {
    if (!key) throw notFound('key')
    await pulse.refresh()
    return shown(key, (await limitRequestsOf(pools.access, [key.id])).get(key.id))
  }
}
