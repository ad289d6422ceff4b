import { OperatorError } from './operator-error.ts'

/**
 * When something ends, in UTC: PostgreSQL knows no offset beyond 16 hours.
 * @throws {OperatorError} where that is over.
 */
export function futureTime(text: string): string {
  const ms = Date.parse(text)
  if (!(ms > Date.now()))
    throw new OperatorError(
      'bad_request',
      'expires_at must be a time in the future, like 2027-01-01T00:00:00Z.',
    )
  return new Date(ms).toISOString()
}
