import type { AddressInfo } from 'node:net'
import { contractFor, demoProfile, type Operation, operations, responseSchema } from '@chancery/contract'
import Fastify from 'fastify'
import pg from 'pg'
import * as queries from './plain-queries.ts'
import { nationOf, ownNationOf, type Row, warOf } from './plain-rows.ts'

// Fastify and pg, and nothing else: a query, and its rows as JSON through Fastify's compiled serializer. No key, limit, cache,
// journal, entity tag or request id. Rows are read as Chancery reads them, so that the bytes are the same.

interface Order {
  databaseUrl: string
}

const { builtins } = pg.types
pg.types.setTypeParser(builtins.INT8, Number)
pg.types.setTypeParser(builtins.NUMERIC, Number)
pg.types.setTypeParser(builtins.TIMESTAMPTZ, text => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`)

process.once('message', async ({ databaseUrl }: Order) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    // As many as Chancery's public reads have, and planned alike.
    max: 10,
    options: '-c TimeZone=UTC -c jit=off -c max_parallel_workers_per_gather=0',
  })
  const rows = async (query: queries.Query, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ ...query, values })).rows

  const contract = contractFor(demoProfile)
  const app = Fastify({ logger: false, keepAliveTimeout: 72_000 })
  const get = (operation: Operation, answer: (params: Row, query: Record<string, string>) => Promise<Row>) =>
    app.get(
      `/api/v1${operation.path.replace('{id}', ':id')}`,
      { schema: { response: { 200: responseSchema(contract, operation) } } },
      req => answer(req.params as Row, req.query as Record<string, string>),
    )

  /** A count, and a page of what was counted. */
  const page = async (
    query: Record<string, string>,
    [count, countValues]: [queries.Query, unknown[]],
    [select, selectValues]: [queries.Query, unknown[]],
    shape: (row: Row) => Row,
  ): Promise<Row> => {
    const number = Number(query.page ?? 1)
    const limit = Number(query.limit ?? 25)
    const [counted] = await rows(count, countValues)
    const total = Number(counted?.total)
    const found = await rows(select, [...selectValues, limit, (number - 1) * limit])
    return {
      data: found.map(shape),
      pagination: { page: number, limit, total, pages: Math.ceil(total / limit) },
    }
  }

  get(operations.nationsList, (_params, query) => {
    if (query.search === undefined)
      return page(query, [queries.countNations, []], [queries.pageOfNations, []], nationOf)
    const text = query.search.toLowerCase()
    const pattern = `%${text}%`
    return page(
      query,
      [queries.countFound, [pattern]],
      [queries.pageOfFound, [pattern, text, `${text}%`]],
      nationOf,
    )
  })
  get(operations.nationsGet, async ({ id }) => {
    const [row] = await rows(queries.oneNation, [id])
    return { data: row && nationOf(row) }
  })
  get(operations.warsList, (_params, query) => {
    const values = [query.status, query.nation_id]
    return page(query, [queries.countWars, values], [queries.pageOfWars, values], warOf)
  })
  get(operations.eventsList, (_params, query) =>
    page(query, [queries.countEvents, [query.type]], [queries.pageOfEvents, [query.type]], row => row),
  )
  // Whose nation it is, the query says: nobody asks for a key here.
  get(operations.meNation, async (_params, { player }) => {
    const [row] = await rows(queries.ownNation, [player])
    return { data: row && ownNationOf(row) }
  })

  await app.listen({ port: 0, host: '127.0.0.1' })
  process.send?.({ port: (app.server.address() as AddressInfo).port })
})
