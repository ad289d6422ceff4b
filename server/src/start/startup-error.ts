/** The environment prevents a start. The message is one line that says what is wrong and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
}
