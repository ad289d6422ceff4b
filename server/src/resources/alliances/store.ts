import {
  operations,
  type PublicOf,
  type ReadableOf,
  type ResourceOf,
  type ValuesFor,
} from '@chancery/contract'
import type { PrivateFields } from '../../disclosure/disclosure.ts'
import { createBatchLoader } from '../../store/batch-loader.ts'
import { join, raw, type Sql, sql } from '../../store/database.ts'
import { comparisons } from '../../store/derived-lists.ts'
import { gamePageUrl, publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'
import { beginningWith, containing, fold } from '../../store/search-text.ts'
import { attributesAmong } from '../nations/store.ts'

export type Alliance = PublicOf<ResourceOf<'alliance'>>
export type AllianceWithTreasury = ReadableOf<ResourceOf<'alliance'>>

interface AllianceRow extends Omit<Alliance, 'leader' | 'wars' | 'url'> {
  leader_id: string | null
  leader_name: string
  wars_active: number
  wars_won: number
  wars_lost: number
}

const stored = publicColumns('alliance', 'a')
/** Divided with 20 decimals, so that it is rounded once. */
const averageScore = sql`
  case a.member_count when 0 then 0 else round(a.total_score::numeric(60, 20) / a.member_count, 4) end`
const columnsOf = (context: ReadContext) => sql`
  ${stored(context)}, p.rank, a.member_count, a.total_score, ${averageScore} as average_score, a.wars_active, a.wars_won, a.wars_lost,
  leader.nation_id as leader_id, leader.nation_name as leader_name, coalesce(treaties.list, '[]') as treaties`

/** The order of the members `m`: leaders, highest first, then the others; of one rank the first to join. */
export const orderOfMembers = (leaderRanks: string[]) =>
  sql`array_position(${leaderRanks}, m.rank), m.joined_at nulls last, m.nation_id`

/** Joins leader and treaties. */
const details = (leaderRanks: string[]) => sql`
  left join lateral (
    select m.nation_id, n.nation_name
    from chancery_world.alliance_member m join chancery_world.nation n on n.id = m.nation_id
    where m.alliance_id = a.id and m.rank = any(${leaderRanks})
    order by ${orderOfMembers(leaderRanks)} limit 1
  ) leader on true
  left join lateral (
    select json_agg(json_build_object('alliance_id', other.id, 'name', other.name, 'type', t.type,
      'types', t.types, 'signed_at', t.signed_at, 'expires_at', t.expires_at) order by other.id, t.id) as list
    from chancery_world.treaty t join chancery_world.alliance other on other.id = any(array_remove(t.alliance_ids, a.id))
    where t.status = 'active' and t.alliance_ids && array[a.id]
  ) treaties on true`

const place = sql`left join chancery_world.alliance_ranking p on p.alliance_id = a.id`

/** The ranks of the tier leader, highest first. */
export const leaderRanksOf = ({ contract }: Pick<ReadContext, 'contract'>) =>
  contract.profile.ranks.filter(rank => rank.tier === 'leader').map(rank => rank.key)

function allianceOf({ contract }: ReadContext, row: AllianceRow): Alliance {
  const { leader_id, leader_name, wars_active, wars_won, wars_lost, ...rest } = row
  return {
    ...rest,
    leader: leader_id === null ? null : { nation_id: leader_id, nation_name: leader_name },
    treaties: row.treaties.map(({ signed_at, expires_at, ...treaty }) => ({
      ...treaty,
      signed_at: utc(signed_at),
      expires_at: utc(expires_at),
    })),
    wars: { active: wars_active, won: wars_won, lost: wars_lost },
    url: gamePageUrl(contract.profile.pages.alliance, row.id),
  }
}

/** Times inside JSON come with the session's offset, which is UTC. */
const utc = (time: string | null) => time?.replace('+00:00', 'Z') ?? null

/** Finds an alliance by its id. */
export const createFindAlliance = (context: ReadContext) =>
  createBatchLoader(async ids => {
    const rows = await context.pools.lookups.rows<AllianceRow>(sql`
      select ${columnsOf(context)} from chancery_world.alliance a ${place} ${details(leaderRanksOf(context))}
      where a.id = any(${ids})`)
    return new Map(rows.map(row => [row.id, allianceOf(context, row)]))
  })

type PrivateField = Exclude<keyof AllianceWithTreasury, keyof Alliance>

/** An alliance with the private fields that the viewer may read. No statement reads others; entitlement is checked before. */
export async function findAllianceWithTreasury(
  context: ReadContext,
  id: string,
  { fields, attributes }: PrivateFields,
): Promise<AllianceWithTreasury | undefined> {
  const selected = join([
    columnsOf(context),
    ...fields.map(field => raw(`s.${field}`)),
    ...(attributes.length > 0 ? [attributesAmong(attributes)] : []),
  ])
  const row = await context.pools.owner.first<
    AllianceRow & Pick<AllianceWithTreasury, PrivateField> & { private_attributes?: object | null }
  >(sql`
    select ${selected}
    from chancery_world.alliance a ${place} left join chancery_secret.alliance_private s on s.alliance_id = a.id
    ${details(leaderRanksOf(context))} where a.id = ${id}`)
  if (!row) return undefined
  const { private_attributes, ...rest } = row
  return { ...rest, ...allianceOf(context, rest), attributes: { ...rest.attributes, ...private_attributes } }
}

/** Whether the player's nation may see the treasury of this alliance in the game now. */
export async function maySeeTreasury(
  context: ReadContext,
  playerId: string,
  allianceId: string,
): Promise<boolean> {
  const row = await context.pools.owner.first<{ rank: string; can_view_treasury: boolean | null }>(sql`
    select m.rank, s.can_view_treasury
    from chancery_secret.nation_private n
    join chancery_world.alliance_member m on m.nation_id = n.nation_id
    left join chancery_secret.member_private s on s.nation_id = n.nation_id
    where n.player = ${playerId} and m.alliance_id = ${allianceId}
    order by n.nation_id limit 1`)
  if (!row) return false
  const tier = context.contract.profile.ranks.find(rank => rank.key === row.rank)?.tier
  return row.can_view_treasury ?? (tier === 'leader' || tier === 'officer')
}

type Filter = ValuesFor<typeof operations.alliancesList>

export async function listAlliances(context: ReadContext, filter: Filter): Promise<Page<Alliance>> {
  const { search } = filter
  const where = allOf([
    search === undefined ? undefined : sql`a.search_text like ${containing(search)}`,
    ...comparisons(operations.alliancesList, filter, field => `a.${field}`),
  ])
  const db = search === undefined ? context.pools.public : context.pools.search
  const page = await readPage<AllianceRow>(
    db,
    filter,
    {
      columns: columnsOf(context),
      from: sql`chancery_world.alliance a ${place} where ${where}`,
      order: orderOf(filter),
      deferredJoin: {
        columns: sql`a.id`,
        joins: sql`join chancery_world.alliance a on a.id = chosen.id ${place} ${details(leaderRanksOf(context))}`,
      },
    },
    sql`chancery_world.alliance a where ${where}`,
  )
  return { ...page, items: page.items.map(row => allianceOf(context, row)) }
}

function orderOf({ search }: Filter): Sql {
  const byPlace = sql`p.position nulls last, a.id`
  if (search === undefined) return byPlace
  const folded = fold(search)
  return sql`
    ${folded} in (split_part(a.search_text, e'\n', 1), split_part(a.search_text, e'\n', 2)) desc,
    a.search_text like ${beginningWith(search)} desc, ${byPlace}`
}

export async function allianceExists({ pools }: ReadContext, id: string): Promise<boolean> {
  return (await pools.public.first(sql`select from chancery_world.alliance where id = ${id}`)) !== undefined
}
