import { type AccountErrorCode, accountErrors } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/http-error.ts'
import { TooManyEndpointsError } from '../webhooks/settings.ts'

/** A refusal that the page is told of. The message is for people, and quotes no secret. */
export class AccountError extends Error {
  readonly code: AccountErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: AccountErrorCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? accountErrors[code].description)
    this.code = code
    this.headers = headers
  }
}

export const notFoundForPlayer = (what: string): AccountError =>
  new AccountError('not_found', `There is no such ${what} among yours.`)

type ErrorHandler = (error: unknown, req: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Answers refusals in the page's words. What nobody expects goes to the service's own handler, which logs it. */
export function createAccountErrorHandler(handleUnexpected: ErrorHandler): ErrorHandler {
  return (error, req, reply) => {
    const known = toAccountError(error)
    return known ? sendAccountError(reply, known) : handleUnexpected(error, req, reply)
  }
}

function sendAccountError(reply: FastifyReply, { code, message, headers }: AccountError): FastifyReply {
  const body = { error: { code, message, request_id: reply.request.id } }
  return reply
    .code(accountErrors[code].status)
    .headers({
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    .send(JSON.stringify(body))
}

/** SQLSTATEs of a text with a NUL in it, and of a time that is none: what a caller can send and a schema does not see. */
const callersStates = new Map([
  ['22021', 'A text contains a NUL character.'],
  ['22007', 'A time is not one.'],
  ['22008', 'A time is out of range.'],
])

function toAccountError(error: unknown): AccountError | undefined {
  if (error instanceof AccountError) return error
  if (error instanceof TooManyEndpointsError) return new AccountError('too_many', error.message)
  if (error instanceof ApiError) return fromApiError(error)
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const callers = callersStates.get(code)
  if (callers !== undefined) return new AccountError('invalid_request', callers)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AccountError('invalid_request', 'The body is larger than 64 KB.')
  const isCallers = 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500
  // In our own words: what a parser says may quote what was sent.
  return isCallers ? new AccountError('invalid_request', 'The body is not the JSON it should be.') : undefined
}

/** What the slices below refuse with, in words that are for people already. */
function fromApiError({ code, message, headers }: ApiError): AccountError | undefined {
  if (code === 'bad_request' || code === 'invalid_parameter')
    return new AccountError('invalid_request', message)
  if (code === 'not_found') return new AccountError('not_found', message, { ...headers })
  return undefined
}
