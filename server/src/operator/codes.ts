import { limits } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ApiError, notFound } from '../http/api-error.ts'
import { issueCode } from '../verification/issue.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'

const readRequest = bodyReader(
  Type.Object(
    {
      nation_id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
      for: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
)

/** Verification codes, made for the game's own page or by hand. */
export function codeRoutes(app: FastifyInstance, { pools }: OperatorContext): void {
  app.post('/codes', async (req, reply) => {
    const { nation_id, for: account } = readRequest(req.body)
    const wanted = { nationId: nation_id, boundTo: account ?? null }
    const issued = await pools.access.transaction(db => issueCode(db, wanted))
    if (issued === 'no_such_nation') throw notFound('nation')
    if (issued === 'too_many_codes') {
      throw new ApiError(
        'bad_request',
        `This nation has ${limits.codesLivePerNation} live codes: let one be redeemed or expire.`,
      )
    }
    const { code, expiresAt } = issued
    return reply.code(201).send({ code, expires_at: expiresAt })
  })
}
