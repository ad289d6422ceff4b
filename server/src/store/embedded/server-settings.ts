import { release } from 'node:os'
import type { Cluster } from './cluster.ts'
import type { ServerSocket } from './socket.ts'

export interface ServerSettings {
  fsync: boolean
  /** Ordinary connections. */
  maxConnections: number
}

/** PostgreSQL keeps three back for superusers, and one watches the server. */
const ownConnections = 4

export const connectionsTotal = (settings: ServerSettings) => settings.maxConnections + ownConnections

/**
 * After a crash PostgreSQL syncs every file before it recovers: 1,600 of them took 2 to 5 seconds on a busy disk, and one syncfs for
 * all of them 0.2 at most. Linux reports write errors to it since 5.8.
 */
export function hasReliableSyncfs(): boolean {
  if (process.platform !== 'linux') return false
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 8)
}

/** On the command line, so that nothing in the cluster's own files has to be kept in step. */
export function serverArguments(cluster: Cluster, door: ServerSocket, settings: ServerSettings): string[] {
  const isSocket = door.password === undefined
  const values: Record<string, string | number> = {
    listen_addresses: isSocket ? '' : door.host,
    port: door.port,
    unix_socket_directories: isSocket ? door.host : '',
    unix_socket_permissions: '0700',
    cluster_name: cluster.name,
    max_connections: connectionsTotal(settings),
    shared_buffers: '256MB',
    // Nobody replicates the bundled server.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // What was written since the last checkpoint is what a start after a crash waits for: 35 MB a second on a busy machine.
    max_wal_size: '128MB',
    ...(hasReliableSyncfs() && { recovery_init_sync_method: 'syncfs' }),
    // A killed parent's running queries end with it, and with them their locks.
    client_connection_check_interval: '2s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'off',
    log_checkpoints: 'off',
    ...(!settings.fsync && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  // -D first: a survivor is known by these words.
  return ['-D', cluster.dir, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
