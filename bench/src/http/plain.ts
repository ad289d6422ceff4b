import type { AddressInfo } from 'node:net'
import { contractFor, demoProfile, type Operation, operations, responseSchema } from '@chancery/contract'
import Fastify from 'fastify'
import pg from 'pg'
import { columnsOf, type NationRow, nationOf } from '../../../server/src/resources/nations/store.ts'
import { sideObject, sides } from '../../../server/src/resources/wars/store.ts'
import { publicColumns, type ReadContext } from '../../../server/src/store/fact-columns.ts'

// Fastify + pg and nothing else: prepared statements, and Fastify's compiled serializer. No key, limit, cache, request log, entity tag
// or request id. Columns and shapes of rows are Chancery's, so that the bytes are the same.

type Row = Record<string, unknown>
type Query = Record<string, string>

const { databaseUrl } = JSON.parse(process.argv[2] ?? '{}') as { databaseUrl: string }
const { builtins } = pg.types
pg.types.setTypeParser(builtins.INT8, Number)
pg.types.setTypeParser(builtins.NUMERIC, Number)
pg.types.setTypeParser(builtins.TIMESTAMPTZ, text => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`)

const pool = new pg.Pool({
  connectionString: databaseUrl,
  // As many as Chancery has for public reads, with the same planner settings.
  max: 10,
  options: '-c TimeZone=UTC -c jit=off -c max_parallel_workers_per_gather=0',
})
/** A named statement, which each connection plans once. */
const select = async (name: string, text: string, values: unknown[]): Promise<Row[]> =>
  (await pool.query({ name, text, values })).rows

const contract = contractFor(demoProfile)
const context = { contract } as ReadContext
const nationColumns = columnsOf(context).text
const joins = `left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`
const nationTables = `chancery_world.nation n left join chancery_world.nation_ranking p on p.nation_id = n.id ${joins}`
const warColumns = [
  publicColumns('war', 'w', sides)(context),
  ...sides.map(side => sideObject(contract, side)),
  { text: 'w.battles_count, w.attacker_losses, w.defender_losses' },
]
  .map(({ text }) => text)
  .join(', ')
const warsOf = `chancery_world.war w where w.status = $1 and (w.attacker_nation_id = $2 or w.defender_nation_id = $2
  or w.id = any(array(select p.war_id from chancery_world.war_participant p where p.nation_id = $2)))`

const nation = (row: Row): Row => ({ ...nationOf(context, row as unknown as NationRow) })

const ownNation = ({ private_attributes, ...row }: Row): Row => ({
  ...nation(row),
  attributes: { ...(row.attributes as Row), ...(private_attributes as Row) },
})

const war = (row: Row): Row => ({
  ...row,
  losses: { attacker: row.attacker_losses, defender: row.defender_losses },
  url: null,
})

const app = Fastify({ logger: false, keepAliveTimeout: 72_000 })
const get = (operation: Operation, handler: (params: Row, query: Query) => Promise<Row>) =>
  app.get(
    `/api/v1${operation.path.replace('{id}', ':id')}`,
    { schema: { response: { 200: responseSchema(contract, operation) } } },
    req => handler(req.params as Row, req.query as Query),
  )

interface List {
  name: string
  /** `from … where …` of the count. */
  counted: string
  values?: unknown[]
  /** The page; ends in `order by`, limit and offset follow. */
  text: string
  /** Of the page only. */
  moreValues?: unknown[]
  shape?: (row: Row) => Row
}

/** A count, and one page. */
async function page(query: Query, list: List): Promise<Row> {
  const { name, counted, values = [], text, moreValues = [], shape = row => row } = list
  const number = Number(query.page ?? 1)
  const limit = Number(query.limit ?? 25)
  const [row] = await select(`count-${name}`, `select count(*) as total from ${counted}`, values)
  const total = Number(row?.total)
  const all = [...values, ...moreValues, limit, (number - 1) * limit]
  const rows = await select(`page-${name}`, `${text} limit $${all.length - 1} offset $${all.length}`, all)
  return {
    data: rows.map(shape),
    pagination: { page: number, limit, total, pages: Math.ceil(total / limit) },
  }
}

get(operations.nationsList, (_params, query) => {
  if (query.search === undefined)
    return page(query, {
      name: 'nations',
      counted: 'chancery_world.nation_ranking',
      // Starting with the ranking: starting with the nations it would sort all of them for each page.
      text: `select ${nationColumns} from chancery_world.nation_ranking p
        join chancery_world.nation n on n.id = p.nation_id ${joins} order by p.position`,
      shape: nation,
    })
  const text = query.search.toLowerCase()
  return page(query, {
    name: 'found',
    counted: 'chancery_world.nation where search_text like $1',
    values: [`%${text}%`],
    // Exact names first, then names with this prefix, then by rank.
    text: `select ${nationColumns} from ${nationTables} where n.search_text like $1
      order by split_part(n.search_text, e'\\n', 1) = $2 desc, n.search_text like $3 desc, p.position nulls last, n.id`,
    moreValues: [text, `${text}%`],
    shape: nation,
  })
})
get(operations.nationsGet, async ({ id }) => {
  const [row] = await select('nation', `select ${nationColumns} from ${nationTables} where n.id = $1`, [id])
  return { data: row && nation(row) }
})
get(operations.warsList, (_params, query) =>
  page(query, {
    name: 'wars',
    counted: warsOf,
    values: [query.status, query.nation_id],
    text: `select ${warColumns} from ${warsOf} order by w.declared_at desc, w.id`,
    shape: war,
  }),
)
get(operations.eventsList, (_params, query) =>
  page(query, {
    name: 'events',
    counted: 'chancery_world.event where type = $1',
    values: [query.type],
    text: `select 'evt_' || seq as id, seq, type, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data
      from chancery_world.event where type = $1 order by seq desc`,
  }),
)
// The player is a parameter: there are no keys here.
get(operations.meNation, async (_params, { player }) => {
  const [row] = await select(
    'own-nation',
    `select ${nationColumns}, s.military, s.economy, s.production, s.assignments, s.attributes as private_attributes
      from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id
      left join chancery_world.nation_ranking p on p.nation_id = n.id ${joins}
      where s.player = $1 order by n.id limit 1`,
    [player],
  )
  return { data: row && ownNation(row) }
})

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: (app.server.address() as AddressInfo).port })
