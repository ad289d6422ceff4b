import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool, type Database, raw, sql } from '../../../server/src/store/database.ts'
import { startOn } from '../../../server/src/store/embedded/embedded-server.ts'
import { thisHost } from '../../../server/src/store/embedded/host.ts'

/** The bundled PostgreSQL, durable as in production, that all contestants reach over loopback alike. */
export interface BenchDatabase {
  /** As the one who may everything. */
  url: string
  db: Database
  /** The process that all its others are started by. */
  pid: number
  version: string
  /** The address for one who may read what a role may, and nothing else. */
  urlOfReader(role: string): Promise<string>
  close(): Promise<void>
}

export async function startDatabase(): Promise<BenchDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  // The server may run as another user, who has to pass.
  await chmod(directory, 0o711)
  const host = { ...thisHost(), hasUnixSockets: false }
  const server = await startOn(host, { dataDir: join(directory, 'data'), maxConnections: 300 })
  const { connection } = server
  const password = connection.password ?? ''
  const urlOf = (user: string) =>
    `postgres://${user}:${encodeURIComponent(password)}@${connection.host}:${connection.port}/${connection.database}`
  const db = createPool({ target: connection, connectionsMax: 2 })
  const about = await db.first<{ pid: string; version: string }>(sql`
    select split_part(pg_read_file('postmaster.pid'), e'\n', 1) as pid, current_setting('server_version') as version`)
  return {
    url: urlOf(connection.user),
    db,
    pid: Number(about?.pid),
    version: about?.version.split(' ')[0] ?? '',
    async urlOfReader(role) {
      const reader = `bench_${role}`
      await db.rows(sql`create role ${raw(reader)} login password '${raw(password)}' in role ${raw(role)}`)
      // The catalogue tells of keys only to those who could make one that refers to them; Platformatic DB needs to know them.
      await db.rows(sql`grant references on all tables in schema chancery_world to ${raw(reader)}`)
      return urlOf(reader)
    },
    async close() {
      await db.close()
      await server.close()
      await rm(directory, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}
