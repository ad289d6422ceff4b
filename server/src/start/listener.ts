import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../telemetry/log.ts'
import { StartupError } from './startup-error.ts'

declare module 'fastify' {
  interface FastifyListenOptions {
    /** Passed on to Node, which knows it. */
    reusePort?: boolean
  }
}

/** Where a listener is to listen. */
export interface ListenerAddress {
  host: string
  port: number
  /** Others may listen there as well, as long as all of them say so. */
  isShared: boolean
  /** The variable that sets the port. */
  variable: string
}

/**
 * Opens a listener, and returns its base URL.
 * @throws {StartupError} where it cannot be opened: one line that names the variable to set.
 */
export async function listen(
  app: FastifyInstance,
  scheme: string,
  { host, port, isShared, variable }: ListenerAddress,
): Promise<string> {
  try {
    await app.listen({ host, port, reusePort: isShared })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (isShared && code === 'ENOTSUP')
      throw new StartupError('CHANCERY_SHARE_PORTS: this system cannot share a port: set it to false')
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

/**
 * From now on every answer closes its connection: whoever keeps one learns it from an answer, and not from a call that fails. The
 * next call goes to whoever listens then.
 */
export function sendConnectionClose(app: FastifyInstance): void {
  app.server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    res.shouldKeepAlive = false
  })
}

/** How long calls that are under way may take to end. */
const closingGraceMs = 5_000
/** How often connections that have become idle are looked for. */
const idleSweepMs = 50

/**
 * Closes a listener when its calls have ended. It takes nothing new before its streams end: whoever comes again comes to another
 * process. Connections on which nothing was ever asked, as browsers open them in advance, count neither as idle nor as calls:
 * without an end set they would hold it up until they go away by themselves.
 */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  const { server } = app
  sendConnectionClose(app)
  const ended = new Promise<void>(resolve => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
  const grace = setTimeout(() => server.closeAllConnections(), closingGraceMs)
  await app.close()
  await ended
  clearInterval(sweep)
  clearTimeout(grace)
}

const setting = '/proc/sys/net/ipv4/tcp_migrate_req'

/**
 * Tells whoever shares ports where a process that ends takes connections with it: those that the system has given to it and that
 * it has not accepted yet. Only Linux can hand them on, from 5.14, and it has to be told to.
 */
export async function warnIfConnectionsLost(log: Pick<Logger, 'warn'>): Promise<void> {
  if (process.platform !== 'linux') return
  const value = await readFile(setting, 'utf8').catch(() => '')
  if (value.trim() === '1') return
  log.warn(
    'ports are shared, and a process that ends resets the connections that wait for it: set net.ipv4.tcp_migrate_req=1 (sysctl)',
  )
}
