import type { FastifyInstance } from 'fastify'
import { StartupError } from './startup-error.ts'

/**
 * Opens a listener, and returns its base URL.
 * @throws {StartupError} where it cannot be opened: one line that names the variable to set.
 */
export async function listen(
  app: FastifyInstance,
  scheme: string,
  host: string,
  port: number,
  variable: string,
): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    const problem =
      code === 'EADDRINUSE'
        ? 'is in use'
        : code === 'EACCES'
          ? 'may not be opened'
          : `cannot be opened (${message})`
    throw new StartupError(`port ${port} on ${host} ${problem}: set ${variable} to another one`)
  }
  const address = app.server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${actualPort}`
}

/** How long calls that are under way may take to end. */
const closingGraceMs = 5_000

/**
 * Closes a listener when its calls have ended. Connections on which nothing was ever asked, as browsers open them in advance,
 * count neither as idle nor as calls: without an end set they would hold it up until they go away by themselves.
 */
export async function closeSoon(app: FastifyInstance): Promise<void> {
  const grace = setTimeout(() => app.server.closeAllConnections(), closingGraceMs)
  await app.close()
  clearTimeout(grace)
}
