import type { PublicOf, ResourceOf } from '@chancery/contract'
import { invalidParameter } from '../../http/http-error.ts'
import { type Sql, sql } from '../../store/database.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { offsetOf, type Page, type PageRequest, readPage } from '../../store/paging.ts'
import { membershipOf, positionAfter } from '../nations/store.ts'

export type NationRanking = PublicOf<ResourceOf<'nation_ranking'>>
export type AllianceRanking = PublicOf<ResourceOf<'alliance_ranking'>>

/** `attribute`: the key of a ranked attribute; by the score without it. */
interface RankingRequest extends PageRequest {
  attribute?: string | undefined
}

interface NationPlaceRow {
  rank: number
  previous_rank: number | null
  national_score: number
  value: number
  id: string
  nation_name: string
  leader_name: string
  alliance_id: string | null
  member_rank: string
  alliance_name: string
  alliance_tag: string
}

export async function rankNations(
  { pools }: ReadContext,
  request: RankingRequest,
): Promise<Page<NationRanking>> {
  const { ranked, page } = request.attribute === undefined ? byScore : byAttribute(request.attribute)
  const round = await pools.public.first<{ ranked: number }>(ranked)
  const total = round?.ranked ?? 0
  const offset = offsetOf(request)
  if (offset >= total) return { items: [], total }
  const rows = await pools.public.rows<NationPlaceRow>(sql`
    select p.rank, p.previous_rank, p.national_score, p.value, n.id, n.nation_name, n.leader_name,
      m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag
    from (${page(offset, request.limit)}) p
    join chancery_world.nation n on n.id = p.nation_id
    left join chancery_world.alliance_member m on m.nation_id = n.id
    left join chancery_world.alliance a on a.id = m.alliance_id
    order by p.position`)
  const items = rows.map(row => ({
    rank: row.rank,
    previous_rank: row.previous_rank,
    value: row.value,
    nation: {
      id: row.id,
      nation_name: row.nation_name,
      leader_name: row.leader_name,
      alliance: membershipOf(row),
    },
    national_score: row.national_score,
  }))
  return { items, total }
}

/** How many nations are ranked, and a page of their places. */
interface NationOrder {
  ranked: Sql
  page(offset: number, limit: number): Sql
}

// Nations that are newer than the round come last and have no rank yet.
const byScore: NationOrder = {
  ranked: sql`
    select nations - (
      select count(*) from chancery_world.nation_ranking_dirty where is_deleted and position <= nations
    ) as ranked from chancery_world.ranking_round`,
  page: (offset, limit) => sql`
    select position, nation_id, rank, previous_rank, national_score, national_score as value
    from chancery_world.nation_ranking
    where position >= ${positionAfter(offset)} and rank is not null order by position limit ${limit}`,
}

function byAttribute(key: string): NationOrder {
  const gaps = sql`chancery_world.nation_attribute_ranking_gap where attribute = ${key}`
  return {
    ranked: sql`
      select l.position - (select count(*) from ${gaps} and position < l.position) as ranked
      from (
        select coalesce(max(position), 0) as position from chancery_world.nation_attribute_ranking where attribute = ${key}
      ) l`,
    page: (offset, limit) => sql`
      select a.*, s.national_score
      from (
        select position, nation_id, rank, previous_rank, value from chancery_world.nation_attribute_ranking
        where attribute = ${key} and position >= ${positionAfter(offset, gaps)} order by position limit ${limit}
      ) a join chancery_world.nation_ranking s using (nation_id)`,
  }
}

export async function rankAlliances(
  { pools }: ReadContext,
  { attribute, ...request }: RankingRequest,
): Promise<Page<AllianceRanking>> {
  const places =
    attribute === undefined
      ? sql`(select *, total_score as value from chancery_world.alliance_ranking)`
      : sql`(
          select r.*, s.total_score from chancery_world.alliance_attribute_ranking r
          join chancery_world.alliance_ranking s using (alliance_id) where r.attribute = ${attribute})`
  // Alliances are few: the join drops those that were deleted since the round.
  return readPage<AllianceRanking>(pools.public, request, {
    columns: sql`
      p.rank, p.previous_rank, json_build_object('id', a.id, 'name', a.name, 'tag', a.tag) as alliance,
      p.value, p.total_score, a.member_count`,
    from: sql`${places} p join chancery_world.alliance a on a.id = p.alliance_id`,
    order: sql`p.position`,
    deferredJoin: {
      columns: sql`p.position`,
      joins: sql`
        join ${places} p on p.position = chosen.position
        join chancery_world.alliance a on a.id = p.alliance_id`,
    },
  })
}

/** @throws {ApiError} invalid_parameter for an attribute by which the items are not ranked. */
export function requireRanked(
  attribute: string | undefined,
  allowed: readonly string[],
  items: 'nations' | 'alliances',
): void {
  if (attribute === undefined || allowed.includes(attribute)) return
  const rule = allowed.length > 0 ? `one of ${allowed.join(', ')}, or left out` : 'left out'
  throw invalidParameter(
    'attribute',
    `\`attribute\` must be ${rule}: the game profile states by which attributes ${items} are ranked.`,
  )
}
