/** Points of alliances: a row has one day of a block of alliances, each at the place of its number. */
import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { notFound } from '../../http/http-error.ts'
import { type Database, raw, type Sql, sql } from '../../store/database.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { type Page, readPage } from '../../store/paging.ts'
import { firstDayAt } from './days.ts'

export type AllianceHistoryPoint = PublicOf<ResourceOf<'alliance_history_point'>>

const blockLength = 64

/**
 * Writes the points of a day. `ranked`: a query with the columns alliance_id, rank, total_score and member_count. Alliances have their
 * numbers. A day that is there already is kept.
 */
export async function writeAlliancePoints(db: Database, day: string, ranked: Sql): Promise<void> {
  await db.rows(sql`
    insert into chancery_world.alliance_history (block, day, total_scores, ranks, member_counts)
    select k.number / ${raw(`${blockLength}`)}, ${day}::date, array_agg(p.total_score order by k.number),
      array_agg(p.rank order by k.number), array_agg(p.member_count order by k.number)
    from chancery_world.alliance_history_number k
    left join (${ranked}) p on p.alliance_id = k.alliance_id and k.freed_on is null
    group by 1 having bool_or(p.rank is not null)
    on conflict do nothing`)
}

/** The points of an alliance, oldest first. */
export async function listAllianceHistory(
  { pools: { public: db } }: ReadContext,
  { id, from, to, ...request }: ValuesFor<typeof operations.alliancesHistory>,
): Promise<Page<AllianceHistoryPoint>> {
  const alliance = await db.first<{ number: number | null }>(sql`
    select k.number from chancery_world.alliance a
    left join chancery_world.alliance_history_number k on k.alliance_id = a.id and k.freed_on is null
    where a.id = ${id}`)
  if (!alliance) throw notFound('alliance')
  if (alliance.number === null) return { items: [], total: 0 }
  const place = raw(`${(alliance.number % blockLength) + 1}`)
  return readPage<AllianceHistoryPoint>(db, request, {
    columns: sql`
      h.day as date, h.total_scores[${place}] as total_score, h.ranks[${place}] as rank, h.member_counts[${place}] as member_count`,
    from: sql`chancery_world.alliance_history h
      where h.block = ${Math.floor(alliance.number / blockLength)} and h.ranks[${place}] is not null
        and h.day >= ${firstDayAt(from) ?? '-infinity'}::date and h.day < ${firstDayAt(to) ?? 'infinity'}::date`,
    order: sql`h.day`,
  })
}
