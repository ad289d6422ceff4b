import type { PublicOf, ResourceOf } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { offsetOf, type Page, type PageRequest, readPage } from '../../store/paging.ts'
import { membershipOf, positionAfter } from '../nations/store.ts'

export type NationRanking = PublicOf<ResourceOf<'nation_ranking'>>
export type AllianceRanking = PublicOf<ResourceOf<'alliance_ranking'>>

interface NationPlaceRow {
  rank: number
  previous_rank: number | null
  national_score: number
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
  request: PageRequest,
): Promise<Page<NationRanking>> {
  const round = await pools.public.first<{ ranked: number }>(sql`
    select nations - (
      select count(*) from chancery_world.nation_ranking_dirty where is_deleted and position <= nations
    ) as ranked from chancery_world.ranking_round`)
  const total = round?.ranked ?? 0
  const offset = offsetOf(request)
  if (offset >= total) return { items: [], total }
  // Nations that are newer than the round come last and have no rank yet.
  const rows = await pools.public.rows<NationPlaceRow>(sql`
    select p.rank, p.previous_rank, p.national_score, n.id, n.nation_name, n.leader_name,
      m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag
    from chancery_world.nation_ranking p
    join chancery_world.nation n on n.id = p.nation_id
    left join chancery_world.alliance_member m on m.nation_id = n.id
    left join chancery_world.alliance a on a.id = m.alliance_id
    where p.position >= ${positionAfter(offset)} and p.rank is not null order by p.position limit ${request.limit}`)
  const items = rows.map(row => ({
    rank: row.rank,
    previous_rank: row.previous_rank,
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

export async function rankAlliances(
  { pools }: ReadContext,
  request: PageRequest,
): Promise<Page<AllianceRanking>> {
  // Alliances are few: the join drops those that were deleted since the round.
  return readPage<AllianceRanking>(pools.public, request, {
    columns: sql`
      p.rank, p.previous_rank, json_build_object('id', a.id, 'name', a.name, 'tag', a.tag) as alliance,
      p.total_score, a.member_count`,
    from: sql`chancery_world.alliance_ranking p join chancery_world.alliance a on a.id = p.alliance_id`,
    order: sql`p.position`,
    deferredJoin: {
      columns: sql`p.position`,
      joins: sql`
        join chancery_world.alliance_ranking p on p.position = chosen.position
        join chancery_world.alliance a on a.id = p.alliance_id`,
    },
  })
}
