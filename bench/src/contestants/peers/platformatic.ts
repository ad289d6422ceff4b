import { importFrom } from './install.ts'

// Platformatic DB over the tables of the world, with its REST API and without its GraphQL, its logs and its metrics.

interface Order {
  folder: string
  databaseUrl: string
}

interface Platformatic {
  create(root: string, config: object): Promise<{ start(options: { listen: boolean }): Promise<string> }>
}

process.once('message', async ({ folder, databaseUrl }: Order) => {
  const { create } = await importFrom<Platformatic>(folder, '@platformatic/db')
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
  const url = await app.start({ listen: true })
  process.send?.({ port: Number(new URL(url).port) })
})
