import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { superuser } from '../../src/store/embedded/cluster.ts'
import { type ClusterEnvironment, prepareEnvironment } from '../../src/store/embedded/cluster-environment.ts'
import { thisHost } from '../../src/store/embedded/host.ts'
import { listProcesses, sendSignal, spawnOptions } from '../../src/store/embedded/processes.ts'
import { chownTo } from '../../src/store/embedded/server-user.ts'
import { query, urlOf, withConnection } from '../support/database-url.ts'
import { fastDirectory } from '../support/test-postgres.ts'
import { until } from '../support/until.ts'

/** A PostgreSQL server of the bundled binaries: a primary, or a replica. */
export interface DatabaseServer {
  /** Its database `postgres`. */
  url: string
  dir: string
  /** Runs one statement as superuser. */
  query<R>(text: string): Promise<R[]>
  /** Changes settings while it runs. */
  set(settings: Record<string, string>): Promise<void>
  /** Replaces it by a copy of another server, which it follows. */
  copyFrom(source: DatabaseServer): Promise<void>
  start(): Promise<void>
  /** Kills its processes. */
  kill(): Promise<void>
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): Promise<void>
}

export interface ReplicatedPostgres {
  primary: DatabaseServer
  /** A copy of the primary that follows it by streaming replication. */
  addReplica(): Promise<DatabaseServer>
}

/** A primary. It and its replicas are removed after the test. */
export async function startReplicatedPostgres(t: Pick<TestContext, 'after'>): Promise<ReplicatedPostgres> {
  const parent = await mkdtemp(join(await fastDirectory(), 'replicas-'))
  await chmod(parent, 0o711)
  const servers: DatabaseServer[] = []
  t.after(async () => {
    for (const server of servers) await server.kill()
    await rm(parent, { recursive: true, force: true, maxRetries: 20 })
  })
  const dataDir = join(parent, 'data')
  await mkdir(dataDir)
  const settings = { fsync: false, maxConnections: 200 }
  const environment = await prepareEnvironment(thisHost(), dataDir, settings, () => {})
  const open = (dir: string) => {
    const server = createServer(environment, dir, join(parent, `socket${servers.length}`))
    servers.push(server)
    return server
  }
  const primary = open(environment.cluster.dir)
  await primary.start()
  return {
    primary,
    async addReplica() {
      const replica = open(join(parent, `replica${servers.length}`))
      await replica.copyFrom(primary)
      return replica
    },
  }
}

const connectionOf = ({ url }: DatabaseServer) =>
  `host=${decodeURIComponent(new URL(url).hostname)} port=5432 user=${superuser}`

const serverSettings = {
  listen_addresses: '',
  max_connections: 200,
  shared_buffers: '64MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '100ms',
  // As docs/operations/scaling.md recommends.
  hot_standby_feedback: 'on',
  max_standby_streaming_delay: '300ms',
  fsync: 'off',
  jit: 'off',
}

function createServer(
  { binaries, user }: ClusterEnvironment,
  dir: string,
  socketDir: string,
): DatabaseServer {
  const name = `${basename(dirname(socketDir))}-${basename(socketDir)}-${process.pid}`
  const url = urlOf({ host: socketDir, port: 5432, user: superuser, database: 'postgres' }, 'postgres')
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  const isOwn = ({ command }: { command: string }) => command.startsWith(`postgres: ${name}: `)

  async function signal(signalName: NodeJS.Signals): Promise<void> {
    if (child?.pid === undefined || !isRunning()) return
    sendSignal(child.pid, signalName)
    for (const found of (await listProcesses()) ?? []) if (isOwn(found)) sendSignal(found.pid, signalName)
  }

  const server: DatabaseServer = {
    url,
    dir,
    signal,
    query: text => query(url, text),
    async set(settings) {
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
      await appendFile(join(dir, 'postgresql.auto.conf'), lines.join(''))
      await server.query('select pg_reload_conf()')
    },
    async copyFrom(source) {
      await server.kill()
      await rm(dir, { recursive: true, force: true, maxRetries: 20 })
      await withConnection(source.url, async client => {
        await client.query(`select pg_backup_start('copy', true)`)
        // Files may change or vanish meanwhile: the replay of the log repairs the copy.
        execFileSync('/bin/sh', ['-c', 'cp -a "$1" "$2"; rm "$2/postmaster.pid"', 'sh', source.dir, dir], {
          stdio: 'ignore',
        })
        const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
        const files = {
          backup_label: rows[0].labelfile,
          'standby.signal': '',
          'postgresql.auto.conf': `primary_conninfo = '${connectionOf(source)}'\n`,
        }
        for (const [name, text] of Object.entries(files)) {
          await writeFile(join(dir, name), text)
          await chownTo(user, join(dir, name), 0o600)
        }
      })
      await server.start()
    },
    async start() {
      await mkdir(socketDir, { recursive: true })
      await chownTo(user, socketDir, 0o700)
      const values = { ...serverSettings, unix_socket_directories: socketDir, cluster_name: name }
      const args = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      let output = ''
      const started = spawn(binaries.postgres, ['-D', dir, ...args], {
        ...spawnOptions(user),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (chunk: Buffer) => {
          output = (output + chunk).slice(-2_000)
        })
      const accepts = async () => {
        if (!isRunning()) throw new Error(`PostgreSQL ended: ${output}`)
        return withConnection(url, client => client.query('select')).then(
          () => true,
          () => false,
        )
      }
      await until(accepts, 'PostgreSQL accepts connections')
    },
    async kill() {
      if (!child || !isRunning()) return
      const ended = once(child, 'exit')
      await signal('SIGKILL')
      await ended
      // They hold the shared memory that a start needs.
      const areGone = async () => !((await listProcesses()) ?? []).some(isOwn)
      await until(areGone, 'its processes have ended')
    },
  }
  return server
}
