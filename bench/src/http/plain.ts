import type { AddressInfo } from 'node:net'
import { contractFor, demoProfile, type Operation, operations, responseSchema } from '@chancery/contract'
import Fastify from 'fastify'
import pg from 'pg'

// Fastify + pg and nothing else: prepared statements, and Fastify's compiled serializer. No key, limit, cache, request log, entity tag
// or request id. Rows are shaped as Chancery shapes them, so that the bytes are the same.

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

const nationColumns = `
  n.id, n.nation_name, n.leader_name, n.national_score, p.rank, n.status, n.government, n.continent, n.color, n.flag_url,
  n.motto, n.founded_at, n.city_count, n.land_area, n.updated_at, n.attributes,
  n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost,
  m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag`
const joins = `
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`
const nationTables = `chancery_world.nation n left join chancery_world.nation_place p on p.nation_id = n.id ${joins}`
const warColumns = `
  id, type, status, reason, attacker_nation_id, attacker_nation_name, attacker_alliance_id, attacker_alliance_name,
  defender_nation_id, defender_nation_name, defender_alliance_id, defender_alliance_name, declared_at, ended_at, outcome,
  battles_count, attacker_losses, defender_losses, conflict_id, era_id, updated_at`
const warsOf = 'chancery_world.war where status = $1 and (attacker_nation_id = $2 or defender_nation_id = $2)'

function nation(row: Row): Row {
  const { active_offensive, active_defensive, wars_won, wars_lost, ...rest } = row
  const { alliance_id, member_rank, alliance_name, alliance_tag } = rest
  return {
    ...rest,
    alliance:
      alliance_id === null
        ? null
        : { alliance_id, rank: member_rank, alliances: { name: alliance_name, tag: alliance_tag } },
    wars: { active_offensive, active_defensive, won: wars_won, lost: wars_lost },
    url: null,
  }
}

const ownNation = ({ private_attributes, ...row }: Row): Row => ({
  ...nation(row),
  attributes: { ...(row.attributes as Row), ...(private_attributes as Row) },
})

const side = (row: Row, name: string): Row => ({
  nation_id: row[`${name}_nation_id`],
  nation_name: row[`${name}_nation_name`],
  alliance_id: row[`${name}_alliance_id`],
  alliance_name: row[`${name}_alliance_name`],
})

const war = (row: Row): Row => ({
  ...row,
  attacker: side(row, 'attacker'),
  defender: side(row, 'defender'),
  losses: { attacker: row.attacker_losses, defender: row.defender_losses },
  url: null,
})

const contract = contractFor(demoProfile)
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
  values: unknown[]
  /** The page; ends in `order by`, limit and offset follow. */
  text: string
  /** Of the page only. */
  moreValues?: unknown[]
  shape: (row: Row) => Row
}

/** A count, and one page. */
async function page(
  query: Query,
  { name, counted, values, text, moreValues = [], shape }: List,
): Promise<Row> {
  const number = Number(query.page ?? 1)
  const limit = Number(query.limit ?? 25)
  const [row] = await select(`count-${name}`, `select count(*) as total from ${counted}`, values)
  const total = Number(row?.total)
  const given = [...values, ...moreValues]
  const found = await select(
    `page-${name}`,
    `${text} limit $${given.length + 1} offset $${given.length + 2}`,
    [...given, limit, (number - 1) * limit],
  )
  return {
    data: found.map(shape),
    pagination: { page: number, limit, total, pages: Math.ceil(total / limit) },
  }
}

get(operations.nationsList, (_params, query) => {
  if (query.search === undefined)
    return page(query, {
      name: 'nations',
      counted: 'chancery_world.nation_place',
      values: [],
      // Starting with the ranking: starting with the nations it would sort all of them for each page.
      text: `select ${nationColumns} from chancery_world.nation_place p
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
    text: `select ${warColumns} from ${warsOf} order by declared_at desc, id`,
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
    shape: row => row,
  }),
)
// The player is a parameter: there are no keys here.
get(operations.meNation, async (_params, { player }) => {
  const [row] = await select(
    'own-nation',
    `select ${nationColumns}, s.military, s.economy, s.production, s.assignments, s.attributes as private_attributes
      from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id
      left join chancery_world.nation_place p on p.nation_id = n.id ${joins}
      where s.player = $1 order by n.id limit 1`,
    [player],
  )
  return { data: row && ownNation(row) }
})

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: (app.server.address() as AddressInfo).port })
