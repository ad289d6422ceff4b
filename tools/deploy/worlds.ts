import { readFile } from 'node:fs/promises'
import http, { type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migrate } from '../../server/src/store/migrations.ts'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { asAdministrator, databaseOf, withDatabase } from '../../server/test/support/database-url.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'

const script = new URL('../../deploy/worlds/create-world.sql', import.meta.url)

/** Runs deploy/worlds/create-world.sql as psql does, with its variables and `\gexec`: each row of the query is a statement. */
async function createWorld(url: string, variables: Record<string, string>): Promise<void> {
  const lines = (await readFile(script, 'utf8')).split('\n').filter(line => !line.startsWith('--'))
  const values = new Map<string, string>()
  let text = ''
  await asAdministrator(url, async client => {
    for (const line of lines) {
      const [, variable, name] = /^\\getenv (\w+) (\w+)$/.exec(line) ?? []
      if (variable !== undefined && name !== undefined) values.set(variable, variables[name] ?? '')
      else if (line === '\\gexec') {
        const query = text.replaceAll(/:'(\w+)'/g, (_, key) => client.escapeLiteral(values.get(key) ?? ''))
        const { rows } = await client.query<Record<string, string>>({ text: query })
        for (const statement of rows.flatMap(row => Object.values(row))) await client.query(statement)
        text = ''
      } else if (line.startsWith('\\')) {
        if (line !== '\\set ON_ERROR_STOP on') throw new Error(`unknown command: ${line}`)
      } else {
        text += `${line}\n`
        if (!line.endsWith(';')) continue
        await client.query(text)
        text = ''
      }
    }
  })
}

/** Databases of worlds in one PostgreSQL server, each with a user of its own. */
export interface WorldDatabases {
  /** The URL of the database of a world; `as`: with the user of another. */
  url(world: string, as?: string): string
  drop(): Promise<void>
}

export async function createWorldDatabases(worlds: readonly string[]): Promise<WorldDatabases> {
  const database = await createTestDatabase()
  const nameOf = (world: string) => `${databaseOf(database.url)}_${world}`
  const url = (world: string, as = world) => {
    const changed = new URL(withDatabase(database.url, nameOf(world)))
    changed.username = nameOf(as)
    changed.password = `password-of-${as}`
    return changed.href
  }
  const drop = async () => {
    await asAdministrator(database.url, async client => {
      for (const world of worlds) {
        await client.query(`drop database if exists ${nameOf(world)} with (force)`)
        await client.query(`drop role if exists ${nameOf(world)}`)
      }
    })
    await database.drop()
  }
  try {
    // At the same time, and again: both are allowed.
    for (let time = 1; time <= 2; time += 1)
      await Promise.all(
        worlds.map(world =>
          createWorld(database.url, { WORLD: nameOf(world), WORLD_PASSWORD: `password-of-${world}` }),
        ),
      )
    await Promise.all(worlds.map(world => migrate({ connectionString: url(world) })))
  } catch (error) {
    await drop()
    throw error
  }
  return { url, drop }
}

/** A proxy without TLS that routes by the first part of the path, and does not remove it. */
export async function startPathProxy(): Promise<{
  url: string
  /** Routes a world to the address of its listener. */
  route(world: string, upstream: string): void
  close(): Promise<void>
}> {
  const upstreams = new Map<string, string>()
  const server: Server = http.createServer((req, res) => {
    const [, world = ''] = /^\/([^/?]*)/.exec(req.url ?? '') ?? []
    const upstream = upstreams.get(world)
    if (upstream === undefined) {
      res.writeHead(404).end('There is no world at this address.')
      return
    }
    // Unlike a real proxy, it accepts the address that a test names.
    const headers = { 'x-forwarded-for': req.socket.remoteAddress, ...req.headers }
    const sent = http.request(upstream + req.url, { method: req.method, headers }, received => {
      res.writeHead(received.statusCode ?? 502, received.rawHeaders)
      received.pipe(res)
    })
    sent.on('error', () => res.headersSent || res.writeHead(503).end())
    res.on('close', () => sent.destroy())
    req.pipe(sent)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    route: (world, upstream) => void upstreams.set(world, upstream),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Starts the service of a world, which listens on a free port. */
export const startWorld = (
  publicUrl: string,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<TestServer> =>
  startTestServer(
    { CHANCERY_PUBLIC_URL: publicUrl, CHANCERY_TRUSTED_PROXIES: '127.0.0.1', ...env },
    { databaseUrl },
  )
