import {
  type Operation,
  operations,
  type PublicOf,
  type ReadableOf,
  type ResourceOf,
  type ValuesFor,
} from '@chancery/contract'
import type { PrivateFields } from '../../disclosure/disclosure.ts'
import { createBatchLoader } from '../../store/batch-loader.ts'
import { join, literal, raw, type Sql, sql } from '../../store/database.ts'
import { gamePageUrl, publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import type { Listing } from '../../store/paging.ts'

export type Nation = PublicOf<ResourceOf<'nation'>>
export type OwnNation = ReadableOf<ResourceOf<'nation'>>

interface MembershipRow {
  alliance_id: string | null
  member_rank: string
  alliance_name: string
  alliance_tag: string
}

export interface NationRow extends Omit<Nation, 'alliance' | 'wars' | 'url'>, MembershipRow {
  active_offensive: number
  active_defensive: number
  wars_won: number
  wars_lost: number
}

const stored = publicColumns('nation', 'n')
export const columnsOf = (context: Pick<ReadContext, 'contract'>): Sql => sql`
  ${stored(context)}, p.rank, n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost,
  m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag`

/** The column of the ranking index for a field that a filter compares. `national_score` is the score of the latest round. */
export const indexColumnOf = (field: string): string =>
  ({ id: 'nation_id', national_score: 'current_score' })[field] ?? field

const { parameters }: Operation = operations.nationsList
const comparedFields = new Set(Object.values(parameters).flatMap(({ compares }) => compares?.fields ?? []))

type Sort = ValuesFor<typeof operations.nationsList>['sort']

/** An order of the list besides that of the ranking round. Lists scan an index of the ranking index in it. */
export interface NationOrder {
  /** The columns that it reads of the ranking index, a unique one last. The index has them all, so that skipped rows are not read. */
  columns: readonly string[]
  /** For an index. */
  key: string
  /** Of rows of the ranking index `p`. */
  order: Sql
  reversed: Sql
}

/** By a field, highest first and null last. */
const descending = (field: string): NationOrder => ({
  columns: [field, 'nation_id'],
  key: `(${field} desc nulls last, nation_id)`,
  order: raw(`p.${field} desc nulls last, p.nation_id`),
  reversed: raw(`p.${field} nulls first, p.nation_id desc`),
})

/** The first line of the text that is searched is the nation's name. */
const nameOf = (column: string) => `split_part(${column}, e'\n', 1)`

export const nationOrders: Record<Exclude<Sort, 'score'>, NationOrder> = {
  founded: descending('founded_at'),
  cities: descending('city_count'),
  name: {
    columns: ['search_text', 'nation_id'],
    key: `((${nameOf('search_text')}), nation_id) include (search_text)`,
    order: raw(`${nameOf('p.search_text')}, p.nation_id`),
    reversed: raw(`${nameOf('p.search_text')} desc, p.nation_id desc`),
  },
}

/** The columns of nations that the ranking index copies: those that filters compare or orders read, and the text that is searched. */
export const indexedFields = [
  ...comparedFields
    .union(new Set(Object.values(nationOrders).flatMap(({ columns }) => columns)))
    .difference(new Set(['id', 'nation_id', 'search_text'])),
  'search_text',
].map(field => ({
  field,
  column: indexColumnOf(field),
}))

/** All columns by which lists are filtered, with their values of a nation `n` and its membership `m`. `ranked`: the keys of ranked attributes. */
export const indexedColumnsOf = (ranked: readonly string[]): Record<string, string> => ({
  ...Object.fromEntries(indexedFields.map(({ field, column }) => [column, `n.${field}`])),
  alliance_id: "coalesce(m.alliance_id, '')",
  ranked_values: rankedValuesOf(ranked),
})

/** A PostgreSQL function has at most a hundred parameters. */
const keysPerCall = 50

/** The values of a nation `n` by which nations are ranked; an attribute without a value is left out. */
function rankedValuesOf(ranked: readonly string[]): string {
  const calls: string[] = []
  for (let first = 0; first < ranked.length; first += keysPerCall) {
    const pairs = ranked
      .slice(first, first + keysPerCall)
      .map(literal)
      .map(key => `${key}, n.attributes -> ${key}`)
    calls.push(`jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`)
  }
  return calls.length === 0 ? "'{}'::jsonb" : `(${calls.join(' || ')})`
}

const joins = sql`
  left join chancery_world.nation_ranking p on p.nation_id = n.id
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`

/** Joins a row of the ranking index `p` with its nation. */
export const rankingJoins = sql`
  join chancery_world.nation n on n.id = p.nation_id
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`

const roundOrder: Omit<NationOrder, 'key'> = {
  columns: ['position'],
  order: sql`p.position`,
  reversed: sql`p.position desc`,
}

/** Nations in the order of the latest ranking round, or in another one, selected by the narrow rows of the ranking index `p`. */
export const rankedNations = (
  columns: Sql,
  where: Sql,
  by: Omit<NationOrder, 'key'> = roundOrder,
): Listing => ({
  columns,
  from: sql`chancery_world.nation_ranking p where ${where}`,
  order: by.order,
  reversed: by.reversed,
  deferredJoin: {
    alias: sql`p`,
    columns: raw(by.columns.map(column => `p.${column}`).join(', ')),
    joins: sql`join chancery_world.nation_ranking p using (${raw(by.columns.at(-1) ?? '')}) ${rankingJoins}`,
  },
})

const gapsOfIndex = sql`chancery_world.nation_ranking_dirty where is_deleted`

/** The position after `others` nations. Positions have no gaps but those of nations that were deleted since the round. */
export const positionAfter = (others: number, gaps: Sql = gapsOfIndex): Sql => sql`(
  select ${others}::bigint + 1 + count(*)
  from (select position - row_number() over (order by position) as others from ${gaps}) gap
  where gap.others <= ${others})`

/** Rows in the order of their values. `beyond`: the position after the last one. */
export interface Places {
  from: Sql
  beyond: Sql
}

/**
 * Binary search: the first position from which on a condition is true; the one after the last if it is true of none. A position may have
 * no row: its nation was deleted.
 */
export const firstPosition = ({ from, beyond }: Places, condition: Sql) => sql`(
  with recursive ends as (${beyond}), halves (low, high) as (
    select 1::bigint, beyond from ends
    union all
    select case when middle.holds then h.low else middle.position + 1 end,
      case when middle.holds then middle.position else h.high end
    from halves h, ends, lateral (
      select half.position, coalesce((
        select ${condition} from ${from} and position >= half.position and position < ends.beyond order by position limit 1
      ), true) as holds
      from (select (h.low + h.high) / 2 as position) half
    ) middle
    where h.low < h.high
  )
  select low from halves where low = high
)`

/** A membership as every resource shows it. */
export const membershipOf = ({ alliance_id, member_rank, alliance_name, alliance_tag }: MembershipRow) =>
  alliance_id === null
    ? null
    : { alliance_id, rank: member_rank, alliances: { name: alliance_name, tag: alliance_tag } }

export function nationOf({ contract }: ReadContext, row: NationRow): Nation {
  const { active_offensive, active_defensive, wars_won, wars_lost, ...rest } = row
  return {
    ...rest,
    alliance: membershipOf(row),
    wars: { active_offensive, active_defensive, won: wars_won, lost: wars_lost },
    url: gamePageUrl(contract.profile.pages.nation, row.id),
  }
}

/** Finds a nation by its id. */
export const createFindNation = (context: ReadContext) =>
  createBatchLoader(async ids => {
    const rows = await context.pools.lookups.rows<NationRow>(
      sql`select ${columnsOf(context)} from chancery_world.nation n ${joins} where n.id = any(${ids})`,
    )
    return new Map(rows.map(row => [row.id, nationOf(context, row)]))
  })

type PrivateField = Exclude<keyof OwnNation, keyof Nation>
type OwnNationRow = NationRow &
  Pick<OwnNation, PrivateField> & { private_attributes?: Record<string, unknown> | null }

/** Private fields that are not read as they are stored. */
const privateColumns: Partial<Record<string, Sql>> = {
  // Assignments of another alliance than the nation's own are left out.
  assignments: sql`
    case when s.assignments is null then null when m.alliance_id is null then '[]'::jsonb else (
      select coalesce(jsonb_agg(own.item order by own.place), '[]')
      from jsonb_array_elements(s.assignments) with ordinality own (item, place)
      where own.item ->> 'alliance_id' = m.alliance_id
    ) end as assignments`,
}

/**
 * Finds the nation that a player leads now, with the private fields that the viewer may read. Statements select no other private fields:
 * the time that they take would reveal how large those are.
 */
export function createFindNationOfPlayer(context: ReadContext) {
  const finders = new Map<string, (playerId: string) => Promise<OwnNation | undefined>>()
  return (playerId: string, opened: PrivateFields): Promise<OwnNation | undefined> => {
    const key = JSON.stringify([opened.fields, opened.attributes])
    let find = finders.get(key)
    if (!find) {
      find = createFindWith(context, opened)
      finders.set(key, find)
    }
    return find(playerId)
  }
}

const createFindWith = (context: ReadContext, { fields, attributes }: PrivateFields) => {
  const own = [
    ...fields.map(field => privateColumns[field] ?? raw(`s.${field}`)),
    ...(attributes.length > 0 ? [attributesAmong(attributes)] : []),
  ]
  const selected = join([sql`s.player`, columnsOf(context), ...own])
  return createBatchLoader(async playerIds => {
    const rows = await context.pools.owner.rows<OwnNationRow & { player: string }>(sql`
      select distinct on (s.player) ${selected}
      from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id ${joins}
      where s.player = any(${playerIds}) order by s.player, n.id`)
    return new Map(rows.map(({ player, ...row }) => [player, ownNationOf(context, row)]))
  })
}

/** Some of the private attributes of a row `s`. */
export const attributesAmong = (keys: string[]): Sql => sql`(
  select jsonb_object_agg(e.key, e.value) from jsonb_each(s.attributes) e where e.key = any(${keys})
) as private_attributes`

function ownNationOf(context: ReadContext, { private_attributes, ...row }: OwnNationRow): OwnNation {
  return { ...row, ...nationOf(context, row), attributes: { ...row.attributes, ...private_attributes } }
}

/** The nation that a player leads now; undefined for none. */
export async function findNationReferenceOfPlayer(
  { pools }: Pick<ReadContext, 'pools'>,
  playerId: string,
): Promise<{ id: string; nation_name: string } | undefined> {
  return pools.owner.first(sql`
    select n.id, n.nation_name from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id
    where s.player = ${playerId} order by n.id limit 1`)
}

/** The player who leads a nation; null where the game named none, undefined for an unknown nation. */
export async function findPlayerOfNation(
  { pools }: Pick<ReadContext, 'pools'>,
  nationId: string,
): Promise<string | null | undefined> {
  const row = await pools.owner.first<{ player: string | null }>(sql`
    select s.player from chancery_world.nation n left join chancery_secret.nation_private s on s.nation_id = n.id
    where n.id = ${nationId}`)
  return row?.player
}
