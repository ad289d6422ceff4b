import { readFile } from 'node:fs/promises'
import type { Logger } from '../telemetry/log.ts'

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
