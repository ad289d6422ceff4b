import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Platformatic DB or PostGraphile over the tables of the world, with as many connections as Chancery has for public reads, and without
// the parts that a benchmark does not use: logs, metrics, GraphiQL.

const { id, folder, databaseUrl } = JSON.parse(process.argv[2] ?? '{}') as {
  id: 'platformatic' | 'postgraphile'
  folder: string
  databaseUrl: string
}

async function load<T>(specifier: string): Promise<T> {
  const path = createRequire(join(folder, 'package.json')).resolve(specifier)
  return (await import(pathToFileURL(path).href)) as T
}

async function startPlatformatic(): Promise<number> {
  const { create } = await load<{
    create(root: string, config: object): Promise<{ start(options: { listen: boolean }): Promise<string> }>
  }>('@platformatic/db')
  const app = await create(folder, {
    server: { hostname: '127.0.0.1', port: 0, logger: { level: 'error' } },
    db: {
      connectionString: databaseUrl,
      schema: ['chancery_world'],
      openapi: true,
      graphql: false,
      schemalock: false,
      poolSize: 10,
    },
  })
  return Number(new URL(await app.start({ listen: true })).port)
}

async function startPostGraphile(): Promise<number> {
  const { postgraphile } = await load<{
    postgraphile(preset: object): {
      createServ(grafserv: unknown): { addTo(server: ReturnType<typeof createServer>): Promise<void> }
    }
  }>('postgraphile')
  const { grafserv } = await load<{ grafserv: unknown }>('postgraphile/grafserv/node')
  const { PostGraphileAmberPreset } = await load<{ PostGraphileAmberPreset: object }>(
    'postgraphile/presets/amber',
  )
  const { makePgService } = await load<{ makePgService(options: object): object }>('postgraphile/adaptors/pg')
  const database = { connectionString: databaseUrl, schemas: ['chancery_world'], poolConfig: { max: 10 } }
  const service = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [makePgService(database)],
    grafserv: { graphiql: false, watch: false },
    grafast: { explain: false },
  }).createServ(grafserv)
  const server = createServer()
  await service.addTo(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

process.send?.({ port: await (id === 'platformatic' ? startPlatformatic() : startPostGraphile()) })
