import {
  type OperatorErrorCode,
  type OperatorOperation,
  type OperatorRole,
  operatorErrors,
} from '@chancery/contract'

/** A failure that a caller of the operator listener is told of. The message says what to do next and quotes no secret. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: OperatorErrorCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? `${operatorErrors[code].description} ${operatorErrors[code].fix}`)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return operatorErrors[this.code].status
  }
}

/** A body that is not of its operation's shape. */
export const invalidBody = (message: string): OperatorError => new OperatorError('bad_request', message)

/** Closes the connection: a body may take as long as it takes here, but not a stranger's. */
export const missingToken = (): OperatorError =>
  new OperatorError(
    'invalid_api_key',
    'This needs an operator token that is valid: Authorization: Bearer <token>.',
    { 'www-authenticate': 'Bearer', connection: 'close' },
  )

export function missingRole(name: string, { roles }: Pick<OperatorOperation, 'roles'>): OperatorError {
  const needed: OperatorRole[] = roles.length > 0 ? [...roles] : ['admin']
  return new OperatorError(
    'insufficient_role',
    `The token ${name} lacks the role ${needed.join(' or ')}: use one that has it, or the main token.`,
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed.join(' ')}"` },
  )
}
