/** The database does not answer: nobody waits for it, and nothing is known of what it was asked last. */
export class DatabaseUnresponsiveError extends Error {
  constructor() {
    super('the database is silent')
    this.name = 'DatabaseUnresponsiveError'
  }
}

/** What the driver says of connections that are gone or were never there. */
const lostConnection =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout/i

/**
 * SQLSTATE classes that mean "away for now", not "wrong": connection, resources, intervention, time limits; and a rollback in
 * favour of somebody else, as of a reader who met a migration's locks crosswise.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnresponsiveError) return true
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') {
    return (
      /^(08|40|53|57P|58|25006|55P03)/.test(code) ||
      code === '57014' ||
      /^(ECONN|EPIPE|ENOENT|EAGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)
    )
  }
  return lostConnection.test(error.message)
}

/** Whether a connection may still be busy with a statement that its caller no longer waits for. */
export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'

/** Whether the database has given out all connections that it has. */
export const isTooManyConnections = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '53300'
