import { type OperatorOperation, type OperatorRole, operatorErrors } from '@chancery/contract'
import { contractError } from '../http/http-error.ts'

/** An error of the operator API. The message says what to do next and quotes no secret. */
export class OperatorError extends contractError(operatorErrors) {}

/** Closes the connection: request bodies have no time limit here, except those of unauthenticated clients. */
export const missingToken = (): OperatorError =>
  new OperatorError('invalid_api_key', 'A valid operator token is required: Authorization: Bearer <token>.', {
    'www-authenticate': 'Bearer',
    connection: 'close',
  })

export function missingRole(name: string, { roles }: Pick<OperatorOperation, 'roles'>): OperatorError {
  const needed: OperatorRole[] = roles.length > 0 ? [...roles] : ['admin']
  return new OperatorError(
    'insufficient_role',
    `The token ${name} lacks the role ${needed.join(' or ')}: use one that has it, or the admin token.`,
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed.join(' ')}"` },
  )
}
