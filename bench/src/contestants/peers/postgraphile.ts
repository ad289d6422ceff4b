import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importFrom } from './install.ts'

// PostGraphile over the tables of the world, with its usual preset, as a program of its own and without its page for trying it.

interface Order {
  folder: string
  databaseUrl: string
}

interface PostGraphile {
  postgraphile(preset: object): {
    createServ(grafserv: unknown): { addTo(server: ReturnType<typeof createServer>): Promise<void> }
  }
}

process.once('message', async ({ folder, databaseUrl }: Order) => {
  const { postgraphile } = await importFrom<PostGraphile>(folder, 'postgraphile')
  const { grafserv } = await importFrom<{ grafserv: unknown }>(folder, 'postgraphile/grafserv/node')
  const { PostGraphileAmberPreset } = await importFrom<{ PostGraphileAmberPreset: object }>(
    folder,
    'postgraphile/presets/amber',
  )
  const { makePgService } = await importFrom<{ makePgService(options: object): object }>(
    folder,
    'postgraphile/adaptors/pg',
  )
  const pool = { max: 10 }
  const service = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [
      makePgService({ connectionString: databaseUrl, schemas: ['chancery_world'], poolConfig: pool }),
    ],
    grafserv: { graphiql: false, watch: false },
    grafast: { explain: false },
  }).createServ(grafserv)
  const server = createServer()
  await service.addTo(server)
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
})
