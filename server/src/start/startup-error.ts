/** Something outside is not as it must be. The message is one line that says what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
}
