import { chmodSync, mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findCluster } from '../../../src/store/embedded/cluster.ts'
import { type EmbeddedServer, startEmbedded } from '../../../src/store/embedded/embedded-server.ts'
import { listProcesses, sendSignal } from '../../../src/store/embedded/processes.ts'
import { connectionsTotal, findPostmaster } from '../../../src/store/embedded/server-process.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { urlOf } from '../../support/database-url.ts'
import { fastDirectory } from '../../support/test-postgres.ts'

/** A PostgreSQL server of the test, with a migrated database. */
export interface Cluster {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  /** Suspends every process: connections stay open without responses. */
  hang(): Promise<void>
  resume(): Promise<void>
  /** Occupies every free connection, also later; `evicts`: the service's too. Returns a function that releases them. */
  exhaust(options?: { evicts?: boolean }): Promise<() => Promise<void>>
  /** Terminates every connection of the service. */
  endConnections(): Promise<void>
  remove(): Promise<void>
}

const terminateConnections =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'chancery %' and pid <> pg_backend_pid()"
const settings = { fsync: false, maxConnections: 60 }
/** All but the one with the owner's lock. */
const connectionsMax = connectionsTotal(settings) - 1
const major = '18'

export async function startCluster(): Promise<Cluster> {
  const dir = realpathSync(mkdtempSync(join(await fastDirectory(), 'chancery-faults-')))
  // The server may run as another user, who needs access.
  chmodSync(dir, 0o711)
  const dataDir = join(dir, 'data')
  const start = () => startEmbedded({ dataDir, ...settings })
  let server: EmbeddedServer | undefined = await start()
  const url = urlOf(server.connection, server.connection.database)
  await migrate({ connectionString: url })

  async function processes(): Promise<number[]> {
    const cluster = await findCluster(dataDir, major)
    const postmaster = await findPostmaster(cluster)
    const others = ((await listProcesses()) ?? []).filter(({ command }) =>
      command.startsWith(`postgres: ${cluster.name}: `),
    )
    return [...(postmaster ? [postmaster.pid] : []), ...others.map(({ pid }) => pid)]
  }
  const sendAll = async (name: NodeJS.Signals) => {
    for (const pid of await processes()) sendSignal(pid, name)
  }
  const stop = async () => {
    await server?.close()
    server = undefined
  }

  return {
    url,
    stop,
    async start() {
      server ??= await start()
    },
    hang: () => sendAll('SIGSTOP'),
    resume: () => sendAll('SIGCONT'),
    async exhaust({ evicts = false } = {}) {
      const taken = new Set<pg.Client>()
      const grab = async () => {
        const client = new pg.Client({ connectionString: url, application_name: 'other clients' })
        client.on('error', () => taken.delete(client))
        await client.connect()
        taken.add(client)
      }
      const grabAll = async () => {
        for (;;) await grab()
      }
      const isFull = (error: { code?: string }) => assertFull(error)
      await grabAll().catch(isFull)
      // A connection of the service that ends may be replaced by another one of it, until all are taken.
      while (evicts && taken.size < connectionsMax) {
        const [administrator] = taken
        await administrator?.query(terminateConnections)
        await grabAll().catch(isFull)
      }
      let isOver = false
      const keeping = (async () => {
        while (!isOver) {
          await grabAll().catch(isFull)
          await new Promise(resolve => setTimeout(resolve, 5))
        }
      })()
      return async () => {
        isOver = true
        await keeping
        await Promise.all([...taken].map(client => client.end()))
      }
    },
    async endConnections() {
      const client = new pg.Client({ connectionString: url, application_name: 'administrator' })
      await client.connect()
      await client.query(terminateConnections)
      await client.end()
    },
    async remove() {
      await sendAll('SIGCONT')
      await stop()
      await rm(dir, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** 53300: too many connections. */
function assertFull(error: { code?: string }): void {
  if (error.code !== '53300') throw error
}
