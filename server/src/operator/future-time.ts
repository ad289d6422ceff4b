import { OperatorError } from './operator-error.ts'

/**
 * When something ends, in UTC: PostgreSQL knows no offset beyond 16 hours. `nowMs` is by the database's clock, which ends it.
 * @throws {OperatorError} where that is over.
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
