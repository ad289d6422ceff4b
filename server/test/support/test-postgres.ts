import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { migrate } from '../../src/store/migrations.ts'
import { asAdministrator, urlOf, withDatabase } from './database-url.ts'
import { fastDirectory } from './fast-directory.ts'
import { isOver, newTestRun, runOf, type TestRun } from './test-run.ts'

/** A PostgreSQL server with a migrated database that others are cloned from. */
export interface TestPostgres {
  templateUrl: string
  /** Drops every database of this run, and ends the server if it is this run's own. */
  close(): Promise<void>
}

/** The server that CHANCERY_TEST_DATABASE_URL names, else a bundled one in a temporary directory. */
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
  // The server may run as another user, who has to pass.
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
  // Cloning fails while anybody is connected to the template: now nobody can.
  await asAdministrator(url, client => client.query(`alter database ${name} with allow_connections false`))
  return templateUrl
}

function dropDatabases(url: string, isDropped: (run: TestRun) => boolean): Promise<void> {
  return asAdministrator(url, async client => {
    for (const { datname } of await databases(client)) {
      const run = runOf(datname)
      if (run && isDropped(run)) await client.query(`drop database if exists ${datname} with (force)`)
    }
  })
}

async function databases(client: pg.Client): Promise<{ datname: string }[]> {
  return (await client.query('select datname from pg_database')).rows
}

/** What killed runs left: their servers live on, and end when adopted and closed. */
async function removeLeftDirectories(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const run = runOf(name)
    if (!run || !isOver(run)) continue
    const dir = join(parent, name)
    const isSomebodys = await startEmbedded({ dataDir: join(dir, 'data'), fsync: false })
      .then(server => server.close())
      .then(
        () => false,
        () => true,
      )
    if (!isSomebodys) await rm(dir, { recursive: true, force: true, maxRetries: 20 })
  }
}
