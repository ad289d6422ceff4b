/** Why a command failed, in one line that says what to do. Exit status 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** A value on the command line that cannot be. Exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
