/**
 * The tables of a ranking round: one of places and one of places by attributes of the game profile for nations, and the same for alliances.
 * In a large world a round creates new ones as `…_next`, applies what changed meanwhile, and gives them the names of the former ones; in a
 * small one it updates them. Statements without values are sent together.
 */

import { indexedColumnsOf, nationOrders } from '../resources/nations/store.ts'
import { blockOf } from '../store/block-counts.ts'
import { type Database, join, literal, raw, sql, type Transaction } from '../store/database.ts'

type Entity = 'nation' | 'alliance'

interface Ranking {
  table: string
  /** The table of places by attributes of the game profile. */
  attributeTable: string
  /** The table of ranks at the end of the previous day. */
  previousDay: string
  key: string
  entity: Entity
  score: string
  /** The columns by which lists filter, with their expressions, also of ranked attributes. Ingestion keeps them current between rounds. */
  filters(ranked: readonly string[]): Record<string, string>
  /** Their tables besides the entity, `n`. */
  joins: string
  /** Further indexes. */
  indexes: string[]
  /** Expressions with few values, by name, for extended statistics: PostgreSQL then counts by them in parallel. */
  statistics: Record<string, string>
}

const rankings: Ranking[] = [
  {
    table: 'nation_ranking',
    attributeTable: 'nation_attribute_ranking',
    previousDay: 'nation_rank_previous_day',
    key: 'nation_id',
    entity: 'nation',
    score: 'national_score',
    filters: indexedColumnsOf,
    joins: 'left join chancery_world.alliance_member m on m.nation_id = n.id',
    indexes: [
      '(alliance_id, position) include (status)',
      "(status, position) where status <> 'active'",
      ...Object.values(nationOrders).map(({ key }) => key),
    ],
    statistics: { block: blockOf('position') },
  },
  {
    table: 'alliance_ranking',
    attributeTable: 'alliance_attribute_ranking',
    previousDay: 'alliance_rank_previous_day',
    key: 'alliance_id',
    entity: 'alliance',
    score: 'total_score',
    filters: () => ({}),
    joins: '',
    indexes: [],
    statistics: {},
  },
]

/** The latest round of the previous day has the ranks at its end. */
export const savePreviousDay = (db: Transaction): Promise<void> =>
  db.run(
    rankings.map(
      ({ table, previousDay, key }) => `
        delete from chancery_world.${previousDay};
        insert into chancery_world.${previousDay} (${key}, rank)
        select ${key}, rank from chancery_world.${table} where rank is not null`,
    ),
  )

/** The ranked attributes of the profile that the database is served with. */
const rankedKeys = (entity: Entity) => sql`
  select a.value ->> 'key' as key
  from chancery_meta.game_profile, jsonb_array_elements(profile -> 'attributes' -> ${entity}) a
  where (a.value -> 'ranked')::boolean`

export type RankedAttributes = Record<Entity, string[]>

const readRankedKeys = async (db: Database, entity: Entity): Promise<string[]> =>
  (await db.rows<{ key: string }>(rankedKeys(entity))).map(({ key }) => key)

/** After a change of the ranked attributes: writes the values of all nations into the ranking index. */
export async function writeRankedValues(
  db: Database,
  table: 'nation_ranking' | 'nation_ranking_next',
  ranked: readonly string[],
): Promise<void> {
  const { ranked_values } = indexedColumnsOf(ranked)
  await db.rows(
    raw(`
      update chancery_world.${table} p set ranked_values = ${ranked_values}
      from chancery_world.nation n where n.id = p.nation_id and p.ranked_values is distinct from ${ranked_values}`),
  )
}

/** As a value of a statement. */
export const rankedAttributes = sql`
  jsonb_build_object('nation', array(${rankedKeys('nation')}), 'alliance', array(${rankedKeys('alliance')}))`

const withAttributes = (attributes: RankedAttributes) =>
  rankings.filter(({ entity }) => attributes[entity].length > 0)

interface Places {
  table: string
  /** Of `columns`, those that identify a place's owner. */
  keys: string[]
  columns: string[]
  /** A query of all places, with these columns. */
  query: string
}

function placesOf(
  { table, previousDay, key, entity, score, filters, joins }: Ranking,
  attributes: RankedAttributes,
): Places {
  const columns = filters(attributes[entity])
  const by = `order by n.${score} desc`
  const values = [`row_number() over (${by}, n.id)`, 'n.id', `rank() over (${by})`, 'y.rank', `n.${score}`]
  return {
    table: `chancery_world.${table}`,
    keys: [key],
    columns: ['position', key, 'rank', 'previous_rank', score, ...Object.keys(columns)],
    query: `
      select ${[...values, ...Object.values(columns)].join(', ')}
      from chancery_world.${entity} n left join chancery_world.${previousDay} y on y.${key} = n.id ${joins}`,
  }
}

/** By one attribute; without a value there is no place. The previous rank is that of the latest round, if that was on another day. */
function placesByAttribute(
  { attributeTable, key, entity }: Ranking,
  attribute: string,
  isNewDay: boolean,
): Places {
  const table = `chancery_world.${attributeTable}`
  const name = literal(attribute)
  return {
    table,
    keys: ['attribute', key],
    columns: ['attribute', 'position', key, 'rank', 'previous_rank', 'value'],
    query: `
      select ${name}, row_number() over (order by n.value desc, n.id), n.id, rank() over (order by n.value desc),
        ${isNewDay ? 'y.rank' : 'y.previous_rank'}, n.value
      from (
        select id, (attributes ->> ${name})::numeric as value from chancery_world.${entity}
        where attributes ->> ${name} is not null
      ) n left join ${table} y on y.attribute = ${name} and y.${key} = n.id`,
  }
}

export interface RoundOfTables {
  attributes: RankedAttributes
  isNewDay: boolean
}

/** Creates and fills the new tables. Without ranked attributes there are none for them. */
export const fillNext = (db: Transaction, { attributes, isNewDay }: RoundOfTables): Promise<void> =>
  db.run([
    ...rankings.flatMap(ranking => createStatements(ranking, attributes)),
    ...withAttributes(attributes).flatMap(ranking =>
      createAttributeStatements(
        ranking,
        attributes[ranking.entity].map(attribute => placesByAttribute(ranking, attribute, isNewDay)),
      ),
    ),
  ])

/** Free space on each page, so that an updated row stays on its page. */
const fillPercent = 85

function createStatements(ranking: Ranking, attributes: RankedAttributes): string[] {
  const { table, columns, query, keys } = placesOf(ranking, attributes)
  const next = `${table}_next`
  return [
    `create table ${next} (like ${table}) with (fillfactor = ${fillPercent})`,
    `insert into ${next} (${columns.join(', ')}) ${query}`,
    `alter table ${next} add primary key (position), add unique (${keys.join(', ')})`,
    ...ranking.indexes.map(index => `create index on ${next} ${index}`),
    ...Object.entries(ranking.statistics).map(
      ([name, by]) => `create statistics ${next}_${name} on ${by} from ${next}`,
    ),
    ...completed(next),
  ]
}

function createAttributeStatements({ attributeTable, key }: Ranking, all: Places[]): string[] {
  const next = `chancery_world.${attributeTable}_next`
  return [
    `create table ${next} (like chancery_world.${attributeTable})`,
    ...all.map(({ columns, query }) => `insert into ${next} (${columns.join(', ')}) ${query}`),
    `alter table ${next} add primary key (attribute, position), add unique (${key}, attribute)`,
    ...completed(next),
  ]
}

const completed = (next: string) => [
  `analyze ${next}`,
  `grant select on ${next} to chancery_public, chancery_owner`,
]

/**
 * Instead of new tables: writes the places that are no longer right into the present ones. In a small world that takes a fraction of the
 * time; each new table also makes all connections plan their queries again. No batch may run meanwhile.
 */
export const updateTables = (db: Transaction, { attributes, isNewDay }: RoundOfTables): Promise<void> =>
  db.run([
    ...rankings.flatMap(ranking => [
      updateStatement(placesOf(ranking, attributes)),
      `delete from chancery_world.${ranking.attributeTable}
       where attribute <> all(array[${attributes[ranking.entity].map(literal).join(', ')}]::text[])`,
      ...attributes[ranking.entity].map(attribute =>
        updateStatement(placesByAttribute(ranking, attribute, isNewDay), attribute),
      ),
    ]),
    'delete from chancery_world.nation_ranking_dirty',
    'delete from chancery_world.nation_attribute_ranking_gap',
    'delete from chancery_secret.nation_ranking_log',
  ])

/** Deletes the rows that are not right, then inserts others at their positions: PostgreSQL counts the deleted ones first. */
function updateStatement({ table, keys, columns, query }: Places, attribute?: string): string {
  const of = (row: string, names: string[]) => `(${names.map(name => `${row}.${name}`).join(', ')})`
  const isAttribute = attribute === undefined ? '' : `p.attribute = ${literal(attribute)} and `
  return `
    with n (${columns.join(', ')}) as materialized (${query}),
    gone as (
      delete from ${table} p where ${isAttribute}not exists (
        select from n where ${of('n', keys)} = ${of('p', keys)} and ${of('n', columns)} is not distinct from ${of('p', columns)})
      returning 1
    )
    insert into ${table} (${columns.join(', ')})
    select n.* from n left join ${table} p on ${of('p', keys)} = ${of('n', keys)}
    where (select count(*) from gone) >= 0 and ${of('p', columns)} is distinct from ${of('n', columns)}`
}

async function readWorldVersion(db: Database): Promise<number> {
  const pulse = await db.first<{ world_version: number }>(sql`select world_version from chancery_world.pulse`)
  if (!pulse) throw new Error('chancery_world.pulse has no row')
  return pulse.world_version
}

/** Applies to the new tables the changes that batches made while they were filled. */
export async function catchUp(
  db: Transaction,
  { worldVersion, attributes }: { worldVersion: number; attributes: RankedAttributes },
): Promise<void> {
  await db.run([
    'delete from chancery_world.nation_ranking_dirty',
    'delete from chancery_world.nation_attribute_ranking_gap',
  ])
  if ((await readWorldVersion(db)) === worldVersion) return
  // The profile may have changed: values that are private now must not be swapped in.
  const ranked = await readRankedKeys(db, 'nation')
  if (ranked.join() !== attributes.nation.join()) await writeRankedValues(db, 'nation_ranking_next', ranked)
  const indexed = indexedColumnsOf(ranked)
  const columns = raw(Object.keys(indexed).join(', '))
  const values = raw(Object.values(indexed).join(', '))
  const changed = sql`(
    select distinct nation_id as id from chancery_secret.nation_ranking_log where world_version > ${worldVersion})`
  await db.rows(sql`
    with gone as (
      delete from chancery_world.nation_ranking_next p using ${changed} c
      where p.nation_id = c.id and not exists (select from chancery_world.nation n where n.id = c.id)
      returning p.position
    )
    insert into chancery_world.nation_ranking_dirty (position, is_deleted) select position, true from gone`)
  await db.rows(sql`
    with kept as (
      update chancery_world.nation_ranking_next p
      set (${columns}) = row (${values})
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where p.nation_id = c.id
        and (${join(Object.keys(indexed).map(column => raw(`p.${column}`)))}) is distinct from (${values})
      returning p.position
    )
    insert into chancery_world.nation_ranking_dirty (position) select position from kept`)
  await db.rows(sql`
    with added as (
      insert into chancery_world.nation_ranking_next
        (position, nation_id, national_score, ${columns})
      select (select coalesce(max(position), 0) from chancery_world.nation_ranking_next) + row_number() over (order by n.id),
        n.id, n.national_score, ${values}
      from ${changed} c join chancery_world.nation n using (id) left join chancery_world.alliance_member m on m.nation_id = n.id
      where not exists (select from chancery_world.nation_ranking_next p where p.nation_id = n.id)
      returning position
    )
    insert into chancery_world.nation_ranking_dirty (position) select position from added
    on conflict (position) do update set is_deleted = false`)
  // Of alliances, only deletions are applied: after a reset, requests before the next round find none.
  await db.rows(sql`
    delete from chancery_world.alliance_ranking_next p
    where not exists (select from chancery_world.alliance a where a.id = p.alliance_id)`)
  for (const { attributeTable, entity } of withAttributes(attributes)) {
    const next = raw(`chancery_world.${attributeTable}_next`)
    await db.rows(sql`delete from ${next} where attribute not in (${rankedKeys(entity)})`)
    if (entity === 'alliance')
      await db.rows(sql`
        delete from ${next} p where not exists (select from chancery_world.alliance a where a.id = p.alliance_id)`)
    else
      await db.rows(sql`
        with gone as (
          delete from ${next} p using ${changed} c
          where p.nation_id = c.id and not exists (select from chancery_world.nation n where n.id = c.id)
          returning p.attribute, p.position
        )
        insert into chancery_world.nation_attribute_ranking_gap (attribute, position) select attribute, position from gone`)
  }
}

/** The new tables replace the former ones. They have all logged changes. */
export const swapTables = (db: Transaction, attributes: RankedAttributes): Promise<void> =>
  db.run([
    'truncate chancery_secret.nation_ranking_log',
    ...rankings.flatMap(({ table, statistics }) => swapStatements(table, Object.keys(statistics))),
    ...withAttributes(attributes).flatMap(({ attributeTable }) => swapStatements(attributeTable, [])),
  ])

const swapStatements = (table: string, statistics: string[]): string[] => [
  `drop table chancery_world.${table}`,
  `alter table chancery_world.${table}_next rename to ${table}`,
  ...statistics.map(
    name => `alter statistics chancery_world.${table}_next_${name} rename to ${table}_${name}`,
  ),
]
