/** The database does not respond. Whether the last statement was executed is unknown. */
export class DatabaseUnresponsiveError extends Error {
  override name = 'DatabaseUnresponsiveError'

  constructor() {
    super('the database does not respond')
  }
}

/** The address of a database leads to another server than expected: to a replica instead of the primary, or from one replica to another. */
export class OtherServerError extends Error {
  override name = 'OtherServerError'

  constructor() {
    super('the address leads to another database server than before, or to a replica that was not promoted')
  }
}

/** Messages of the driver about connections that were lost or never opened. */
const lostConnection =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout/i

/**
 * Whether an error is temporary: SQLSTATE classes of connection, resources, intervention and time limits; and a rollback in favour of
 * another transaction, such as a reader that deadlocks with a migration.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnresponsiveError || error instanceof OtherServerError) return true
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

/** The database ended a statement at its time limit. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'

/** No connection of a pool became free in time: all are busy. */
export const isPoolBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

const queryTimeoutMessage = 'Query read timeout'

/** The error of the driver when it stops waiting for a statement: the connection may still be busy with it. */
export const createQueryTimeout = () => new Error(queryTimeoutMessage)
export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === queryTimeoutMessage

/** SQLSTATE too_many_connections: the server has reached its limit. */
export const isTooManyConnections = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '53300'
