import { type AccountErrorCode, accountErrors, type SchemaProblem } from '@chancery/contract'
import { ApiError, contractError, describeInvalidRequest } from '../http/http-error.ts'
import { InvalidEndpointError, TooManyEndpointsError } from '../webhooks/settings.ts'

/** An error of the account API. The message is for people, and quotes no secret. */
export class AccountError extends contractError(accountErrors) {
  override readonly field: string | undefined

  constructor(
    code: AccountErrorCode,
    message?: string,
    headers?: Readonly<Record<string, string>>,
    field?: string,
  ) {
    super(code, message, headers)
    this.field = field
  }
}

/** A request of the wrong form. For players, so in words: the page shows the message beside the field, where there is one. */
export function invalidRequest(message: string, problem?: SchemaProblem): AccountError {
  const [, name, entry] = problem?.path.split('/') ?? []
  if (!problem || !name) return new AccountError('invalid_request', message)
  if (problem.reason === 'unknown field')
    return new AccountError(
      'invalid_request',
      'The request body has a field that the server does not know. Reload the page.',
    )
  const label = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
  const what = entry === undefined ? label : `${label}: entry ${Number(entry) + 1}`
  return new AccountError('invalid_request', `${what} ${problem.reason}.`, {}, name)
}

export const notFoundForPlayer = (what: string): AccountError =>
  new AccountError('not_found', `You have no such ${what}.`)

/** Translates errors of other modules and of the HTTP parser; undefined for unexpected ones. */
export function toAccountError(error: unknown): AccountError | undefined {
  if (error instanceof AccountError) return error
  if (error instanceof TooManyEndpointsError) return new AccountError('too_many', error.message)
  if (error instanceof InvalidEndpointError)
    return new AccountError('invalid_request', error.message, {}, error.invalidField)
  if (error instanceof ApiError) {
    const { code, message, headers } = error
    if (code === 'bad_request' || code === 'invalid_parameter')
      return new AccountError('invalid_request', message)
    if (code === 'not_found') return new AccountError('not_found', message, headers)
    return undefined
  }
  const message = isTooLarge(error) ? 'The body is larger than 64 KB.' : describeInvalidRequest(error)
  return message === undefined ? undefined : new AccountError('invalid_request', message)
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
