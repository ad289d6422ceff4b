import { limits, operatorOperations } from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import { adminCaller } from './authentication.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'
import { type CreatedToken, createToken, listTokens, revokeToken, rotateToken } from './token-store.ts'

/** Named tokens of the operator API. */
export function tokenRoutes(
  define: DefineOperatorOperation,
  { pools, pulse }: Pick<OperatorContext, 'pools' | 'pulse'>,
): void {
  const { access } = pools

  define(operatorOperations.tokensCreate, async ({ body: { name, roles, expires_at = null } }) => {
    const wanted = {
      name,
      roles,
      expiresAt: expires_at === null ? null : futureTime(expires_at, pulse.now()),
    }
    const made =
      // Reserved for the admin token, which the audit log shows as `main`.
      name.toLowerCase() === adminCaller.name
        ? undefined
        : await access.transaction(db => createToken(db, wanted))
    if (!made) {
      throw new OperatorError(
        'conflict',
        `There is a valid token named ${name}: rotate or revoke it, or choose another name.`,
      )
    }
    return createdToken(made)
  })

  define(operatorOperations.tokensList, async () => ({ body: { data: await listTokens(access) } }))

  define(operatorOperations.tokensRotate, async ({ id, body }) => {
    const { overlap_hours: overlapHours = limits.tokenOverlapHours, expires_at } = body
    const expiresAt = typeof expires_at === 'string' ? futureTime(expires_at, pulse.now()) : expires_at
    const made = await access.transaction(db => rotateToken(db, id, { overlapHours, expiresAt }))
    if (made === 'unknown') throw notFound('operator token')
    if (made === 'ended')
      throw new OperatorError('conflict', 'This token was revoked or has expired. Create a new one.')
    if ('replacedBy' in made)
      throw new OperatorError(
        'conflict',
        `This token was replaced already, by ${made.replacedBy}: rotate that one.`,
      )
    return createdToken(made)
  })

  define(operatorOperations.tokensRevoke, async ({ id }) => {
    const revoked = await revokeToken(access, id)
    if (!revoked) throw notFound('operator token')
    return { body: revoked }
  })
}

function createdToken({ text: token, record: { id, ...rest } }: CreatedToken) {
  return { subject: id, body: { id, token, ...rest } }
}

/**
 * Parses an expiry time into UTC, because PostgreSQL rejects offsets beyond 16 hours. `nowMs` is by the database's clock.
 * @throws {OperatorError} for a time in the past.
 */
export function futureTime(text: string, nowMs: number): string {
  const ms = Date.parse(text)
  if (!(ms > nowMs))
    throw new OperatorError(
      'bad_request',
      'expires_at must be a time in the future, like 2027-01-01T00:00:00Z.',
    )
  return new Date(ms).toISOString()
}
