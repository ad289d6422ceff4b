/** A failure of a command. The message is one line that states what to do. Exit status 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** An invalid command line. Exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
