import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { isAlive } from '../../src/store/embedded/processes.ts'
import { migrate } from '../../src/store/migrations.ts'
import { asAdministrator, urlOf, withDatabase } from './database-url.ts'

/** A PostgreSQL server with a migrated template database. */
export interface TestPostgres {
  templateUrl: string
  /** Drops the databases of this run; ends a bundled server. */
  close(): Promise<void>
}

/** The server of CHANCERY_TEST_DATABASE_URL, else a bundled one in a temporary directory. */
export async function openTestPostgres(): Promise<TestPostgres> {
  const run = newTestRun()
  const external = process.env.CHANCERY_TEST_DATABASE_URL
  return external ? openExternal(run, external) : openBundled(run)
}

async function openExternal(run: TestRun, url: string): Promise<TestPostgres> {
  const close = () => dropDatabases(url, database => database.name === run.name)
  await dropDatabases(url, isOver)
  try {
    return { templateUrl: await makeTemplate(run, url), close }
  } catch (err) {
    await close()
    throw err
  }
}

async function openBundled(run: TestRun): Promise<TestPostgres> {
  const parent = await fastDirectory()
  await removeLeftDirectories(parent)
  const dir = join(parent, run.name)
  await mkdir(dir)
  // The server may run as another user.
  await chmod(dir, 0o711)
  const server = await startEmbedded({ dataDir: join(dir, 'data'), fsync: false, maxConnections: 400 })
  const close = async () => {
    await server.close()
    await rm(dir, { recursive: true, force: true, maxRetries: 20 })
  }
  try {
    return { templateUrl: await makeTemplate(run, urlOf(server.connection, 'postgres')), close }
  } catch (err) {
    await close()
    throw err
  }
}

async function makeTemplate(run: TestRun, url: string): Promise<string> {
  const name = `${run.name}_template`
  const templateUrl = withDatabase(url, name)
  await asAdministrator(url, client => client.query(`create database ${name}`))
  await migrate({ connectionString: templateUrl })
  // Cloning fails while a client is connected to the template.
  await asAdministrator(url, client => client.query(`alter database ${name} with allow_connections false`))
  return templateUrl
}

function dropDatabases(url: string, isDropped: (run: TestRun) => boolean): Promise<void> {
  return asAdministrator(url, async client => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    for (const { datname } of rows) {
      const run = runOf(datname)
      if (run && isDropped(run)) await client.query(`drop database if exists ${datname} with (force)`)
    }
  })
}

/** Removes directories of killed runs. Their servers still run: they are adopted and closed. */
async function removeLeftDirectories(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const run = runOf(name)
    if (!run || !isOver(run)) continue
    const dir = join(parent, name)
    const isClosed = await startEmbedded({ dataDir: join(dir, 'data'), fsync: false })
      .then(server => server.close())
      .then(
        () => true,
        () => false,
      )
    if (isClosed) await rm(dir, { recursive: true, force: true, maxRetries: 20 })
  }
}

const memoryDirectory = '/dev/shm'
const memoryBytesMin = 2 * 1024 ** 3

/** A directory for test data. A clone is 1,300 new files: 30 ms in memory, 400 on some disks. */
export async function fastDirectory(): Promise<string> {
  const found = await statfs(memoryDirectory).catch(() => undefined)
  return found && found.bavail * found.bsize >= memoryBytesMin ? memoryDirectory : tmpdir()
}

/** A test run. Its name is the prefix of its databases and directories, so that a later run can remove what a killed one left. */
export interface TestRun {
  name: string
  startedAt: Date
  pid: number
}

const prefix = 'chancery_test'
const pattern = new RegExp(`^(${prefix}_(\\d{14})_(\\d+)_[0-9a-f]{6})(?:_|$)`)
const hoursMax = 3

export function newTestRun(now = new Date()): TestRun {
  const time = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const { pid } = process
  return { name: `${prefix}_${time}_${pid}_${randomBytes(3).toString('hex')}`, startedAt: now, pid }
}

/** The run that created a database or directory; undefined if no test run did. */
export function runOf(name: string): TestRun | undefined {
  const [, run, time, pid] = pattern.exec(name) ?? []
  if (!run || !time || !pid) return undefined
  const iso = time.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z')
  return { name: run, startedAt: new Date(iso), pid: Number(pid) }
}

/** Process ids are reused, so an old run is over even if its process id exists. */
export function isOver(run: TestRun, now = new Date()): boolean {
  return !isAlive(run.pid) || now.getTime() - run.startedAt.getTime() > hoursMax * 3_600_000
}
