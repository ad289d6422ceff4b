import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../telemetry/log.ts'
import { StartupError } from './startup-error.ts'

declare module 'fastify' {
  interface FastifyListenOptions {
    /** Passed on to Node. */
    reusePort?: boolean
  }
}

export interface ListenerAddress {
  host: string
  port: number
  /** Other processes may listen on the same port, if all of them set this. */
  isShared: boolean
  /** The variable that sets the port. */
  variable: string
}

/**
 * Opens a listener and returns its base URL.
 * @throws {StartupError} that names the variable to set.
 */
export async function listen(
  app: FastifyInstance,
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
  return `${app.server instanceof HttpsServer ? 'https' : 'http'}://${name}:${actualPort}`
}

/** From now on every response closes its connection: clients reconnect to another process before a request fails. */
export function sendConnectionClose(app: FastifyInstance): void {
  app.server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    res.shouldKeepAlive = false
  })
}

/** How long requests in flight may take to end. */
const closingGraceMs = 5_000
const idleSweepMs = 50

/**
 * Graceful shutdown of a listener: closes it when its requests have ended. It accepts no connection before its streams end, so that their clients reconnect to
 * another process. Connections without any request, as browsers open them in advance, count neither as idle nor as busy: the grace
 * period ends them.
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

const migrationSetting = '/proc/sys/net/ipv4/tcp_migrate_req'

/**
 * Warns if a process that exits resets the connections that the system has assigned to it and that it has not accepted yet. Linux 5.14 and
 * newer can hand them to another process, if a setting is on.
 */
export async function warnIfConnectionsLost(log: Pick<Logger, 'warn'>): Promise<void> {
  if (process.platform !== 'linux') return
  const value = await readFile(migrationSetting, 'utf8').catch(() => '')
  if (value.trim() === '1') return
  log.warn(
    'shared ports: a process that exits resets the connections queued for it; set net.ipv4.tcp_migrate_req=1 (sysctl)',
  )
}
