import { BlockList, isIP } from 'node:net'
import type { Config } from '@chancery/server'
import { readServiceConfig } from '../service.ts'
import { logStatus, type Terminal } from '../terminal.ts'

const hostDefault = '127.0.0.1'

/** The demo logs warnings only, listens on this machine by default, and always uses the bundled database. */
export async function demoConfig(terminal: Pick<Terminal, 'env' | 'messages'>): Promise<Config> {
  const { CHANCERY_DATABASE_URL: databaseUrl, ...env } = terminal.env
  if (databaseUrl) logStatus(terminal, 'the demo uses its bundled database: CHANCERY_DATABASE_URL is ignored')
  const isLocal = isLoopback(env.CHANCERY_HOST || hostDefault)
  return readServiceConfig(env, {
    host: hostDefault,
    logLevel: 'warn',
    // Receivers in development run on this machine. A demo that others reach must not let them send requests to it.
    webhooksAllowLocal: isLocal,
    // Anybody may sign in as any player, as long as only this machine reaches the demo.
    demoSignIn: isLocal,
  })
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a listener on this host is reachable from this machine only. */
function isLoopback(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return host.toLowerCase() === 'localhost'
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
